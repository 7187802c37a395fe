#include "base/message.h"

#include "base/text.h"

namespace talaria {

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    if (next_word(words) == word) return true;
  }
  return false;
}

std::string listed_words(std::string_view words) {
  std::string text;
  while (!words.empty()) text += (text.empty() ? "" : ", ") + std::string(next_word(words));
  return text;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  const std::string text = std::to_string(count) + " ";
  if (count == 1) return text + std::string(one);
  return text + (many.empty() ? std::string(one) + "s" : std::string(many));
}

std::string as_sentence(std::string_view text) {
  const bool ends = text.ends_with('.') || text.ends_with('?') || text.ends_with('!');
  return std::string(text) + (ends ? "" : ".");
}

}  // namespace talaria
