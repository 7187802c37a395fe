// Text that is safe to show: bytes from a command made valid UTF-8, and parts of a text that begin
// and end at whole characters; times in words. A character here is a Unicode code point.
#pragma once

#include <chrono>
#include <cstddef>
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

// With the ASCII letters in lower case.
std::string lower_case(std::string_view text);

// The words between spaces, one after the other: takes the first off `words`.
std::string_view next_word(std::string_view& words, char separator = ' ');

// "5" or "0.5".
std::string in_seconds(std::chrono::milliseconds time);

}  // namespace talaria
