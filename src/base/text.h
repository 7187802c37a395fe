// Text that is safe to show: bytes from a command made valid UTF-8, and parts of a text that begin
// and end at whole characters; numbers and times as text. A character here is a Unicode code point.
#pragma once

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace talaria {

// Utf8Sanitizer: turns a stream of arbitrary bytes into valid UTF-8, piece by piece. Every broken
// sequence becomes one U+FFFD; a character split between two pieces comes out whole.
class Utf8Sanitizer {
 public:
  // Appends what `bytes` completes to `out`.
  void feed(std::string_view bytes, std::string& out);
  // The stream ended: a character that never got its last byte becomes U+FFFD.
  void finish(std::string& out);

 private:
  std::string pending_;  // the first 1 to 3 bytes of a character
};

std::string sanitize_utf8(std::string_view bytes);
bool is_valid_utf8(std::string_view bytes);

// The character `bytes`, which are not empty, begin with. A byte that is part of none counts as one
// of its own, U+DC80 to U+DCFF, so that bytes that differ never become the same character.
struct Utf8Char {
  char32_t value;
  std::size_t size;  // bytes it takes
};
Utf8Char first_char(std::string_view bytes);

// Of valid UTF-8:
std::size_t count_chars(std::string_view text);
std::string_view first_chars(std::string_view text, std::size_t count);
std::string_view last_chars(std::string_view text, std::size_t count);

// Of a stretch of bytes cut out of a longer text: without the character that was cut in two at the
// end, or at the start. Bytes that were never a character stay.
std::string_view without_cut_end(std::string_view bytes);
std::string_view without_cut_start(std::string_view bytes);

// At most so many bytes of valid UTF-8 from its start, or from its end: whole characters.
std::string_view first_bytes(std::string_view text, std::size_t most);
std::string_view last_bytes(std::string_view text, std::size_t most);

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Without the ASCII white space at both ends.
std::string_view trim(std::string_view text);

// The bytes of the line break that `text`, which is not empty, begins with, as Unicode defines line
// breaks; 0 if there is none, or not all of it. CR and LF are one each.
inline constexpr std::size_t kLongestLineBreak = 3;
std::size_t line_break_size(std::string_view text);

// With the ASCII letters in lower case.
std::string lower_case(std::string_view text);

// The words between spaces, one after the other: takes the first off `words`.
std::string_view next_word(std::string_view& words, char separator = ' ');

// The number that all of `text` is; nothing if it is anything else.
template <class Integer>
std::optional<Integer> parse_integer(std::string_view text, int base = 10) {
  Integer number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number, base);
  return error == std::errc{} && end == last ? std::optional(number) : std::nullopt;
}

// "5" or "0.5".
std::string in_seconds(std::chrono::milliseconds time);

// Two lower-case hexadecimal digits for each byte.
std::string to_hex(std::string_view bytes);

// 1234567 as "1,234,567".
inline std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

// The byte order mark that some editors put in front of a text in UTF-8.
inline constexpr std::string_view kBom = "\xEF\xBB\xBF";

inline std::string_view without_bom(std::string_view text) {
  return text.starts_with(kBom) ? text.substr(kBom.size()) : text;
}

}  // namespace talaria
