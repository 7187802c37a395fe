#include "policy/guard/run/filters.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using Text = std::optional<std::string>;

Text decode_base64(std::string_view text) {
  static constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int count = 0;
  bool ended = false;
  for (const char c : text) {
    if (c == '\n') continue;
    if (c == '=') {
      ended = true;
      continue;
    }
    const std::size_t value = kLetters.find(c);
    if (ended || value == std::string_view::npos) return std::nullopt;
    bits = (bits << 6) | static_cast<unsigned>(value);
    if ((count += 6) < 8) continue;
    count -= 8;
    out += static_cast<char>((bits >> count) & 0xff);
  }
  return out;
}

Text decode_hex(std::string_view text) {
  std::string out;
  std::string digits;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return std::nullopt;
    digits += c;
  }
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
    out += static_cast<char>(value);
  }
  return out;
}

Text reversed_lines(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (!std::ranges::all_of(text, is_ascii)) return std::nullopt;
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.append(text.substr(0, end).rbegin(), text.substr(0, end).rend());
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// a-z, [:upper:], \n: the characters a set of tr stands for.
Text characters_of_set(std::string_view set) {
  static constexpr std::string_view kClasses[] = {"[:upper:]", "[:lower:]", "[:digit:]"};
  static constexpr std::string_view kMembers[] = {"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                                                  "abcdefghijklmnopqrstuvwxyz", "0123456789"};
  static constexpr std::string_view kLetters = "abfnrtv\\";
  static constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\";
  std::string out;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto* const known = std::ranges::find_if(
        kClasses, [&](std::string_view name) { return set.substr(i).starts_with(name); });
    if (known != std::end(kClasses)) {
      out += kMembers[known - std::begin(kClasses)];
      i += known->size() - 1;
    } else if (set[i] == '[' && i + 1 < set.size() &&
               std::string_view(":=*").contains(set[i + 1])) {
      return std::nullopt;
    } else if (set[i] == '\\') {
      const std::size_t letter =
          i + 1 < set.size() ? kLetters.find(set[i + 1]) : std::string_view::npos;
      if (letter == std::string_view::npos) return std::nullopt;
      out += kMeanings[letter];
      ++i;
    } else if (i + 2 < set.size() && set[i + 1] == '-') {
      if (set[i + 2] == '\\' || set[i + 2] == '[' || set[i] > set[i + 2]) return std::nullopt;
      for (int c = set[i]; c <= set[i + 2]; ++c) out += static_cast<char>(c);
      i += 2;
    } else if (i + 2 < set.size() && set[i + 1] == '*') {
      return std::nullopt;  // perhaps [x*5]
    } else {
      out += set[i];
    }
  }
  return out;
}

Text translated(const SeenCommand& command, std::string_view text) {
  const bool deletes = command.word(1) == "-d";
  if (command.words.size() != 3 || (command.word(1).starts_with('-') && !deletes)) {
    return std::nullopt;
  }
  const Text from = characters_of_set(command.word(deletes ? 2 : 1));
  const Text to = deletes ? from : characters_of_set(command.word(2));
  if (!from || !to || to->empty()) return std::nullopt;
  std::string out;
  for (const char c : text) {
    const std::size_t at = from->rfind(c);
    if (at == std::string::npos) {
      out += c;
    } else if (!deletes) {
      out += (*to)[std::min(at, to->size() - 1)];
    }
  }
  return out;
}

// All its words are among these.
bool has_only(const SeenCommand& command, std::string_view options) {
  return std::all_of(command.words.begin() + 1, command.words.end(),
                     [&](const SeenWord& word) { return among(word.text, options); });
}

}  // namespace

std::optional<std::string> filtered(const SeenCommand& command, const std::string& text) {
  const std::string& program = command.program;
  if (program == "cat" && has_only(command, "- -u")) return text;
  if (program == "tee") return text;
  if (text.contains(kUnknownPiece) || command.words.size() < 1) return std::nullopt;
  if (program == "rev" && command.words.size() == 1) return reversed_lines(text);
  if (program == "tr") return translated(command, text);
  if (command.words.size() < 2) return std::nullopt;
  if (program == "base64" && has_only(command, "-d -D --decode -")) return decode_base64(text);
  if (program == "xxd" && has_only(command, "-r -p -ps -rp -pr -")) return decode_hex(text);
  return std::nullopt;
}

}  // namespace talaria::guard
