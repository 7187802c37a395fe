#include "policy/guard/program/program_words.h"

#include <algorithm>

#include "base/text.h"
#include "shell/quote.h"

namespace talaria::guard {

SeenWord word_of(const ProgramValue& value) {
  SeenWord word{.text = value.list ? std::string(1, kUnknownPiece) : value.text,
                .pattern = value.pattern,
                .several = value.several};
  word.temporary = value.own && (!word.known() || word.text.starts_with("/tmp/") ||
                                 word.text.starts_with("/var/tmp/"));
  if (word.text.contains("..")) word.temporary = false;
  return word;
}

void add_words(const ProgramValue& value, std::vector<SeenWord>& words) {
  if (!value.list) return words.push_back(word_of(value));
  for (const ProgramValue& item : value.items) add_words(item, words);
}

std::string shell_word(std::string_view text) {
  std::string word;
  if (text == "~" || text.starts_with("~/")) {
    word = "~";
    text.remove_prefix(1);
  }
  while (!text.empty()) {
    const std::size_t piece = std::min(text.find(kUnknownPiece), text.size());
    if (piece > 0) word += shell::single_quote(text.substr(0, piece));
    if (piece < text.size()) word.append("\"").append(kUnknownVariable).append("\"");
    text.remove_prefix(std::min(piece + 1, text.size()));
  }
  return word.empty() ? "''" : word;
}

std::string octal_mode(const ProgramValue& value) {
  std::string_view text = value.text;
  if (!value.number) return value.text;
  if (text.starts_with("0o") || text.starts_with("0O")) return std::string(text.substr(2));
  if (text.starts_with('0') && text.size() > 1) return std::string(text.substr(1));
  std::string digits;
  for (unsigned mode = parse_integer<unsigned>(text).value_or(0); mode > 0; mode /= 8) {
    digits.insert(digits.begin(), static_cast<char>('0' + mode % 8));
  }
  return digits.empty() ? value.text : digits;
}

}  // namespace talaria::guard
