#include "base/ansi.h"

#include <algorithm>
#include <cstddef>

namespace talaria {
namespace {

constexpr char kEscape = '\x1b';
constexpr char kBell = '\x07';

bool is_in(char c, char first, char last) { return c >= first && c <= last; }

// U+0080 to U+009F as UTF-8: the byte C2, then the character's own number.
bool is_c1(std::string_view text) {
  return text.size() >= 2 && text[0] == '\xC2' && is_in(text[1], '\x80', '\x9F');
}

// How long a sequence is that begins behind its introducer.

// Parameters, intermediates, a final byte. A byte that fits none of them ends it unfinished.
std::size_t control_length(std::string_view rest) {
  std::size_t at = 0;
  while (at < rest.size() && is_in(rest[at], '\x30', '\x3F')) ++at;
  while (at < rest.size() && is_in(rest[at], '\x20', '\x2F')) ++at;
  if (at < rest.size() && is_in(rest[at], '\x40', '\x7E')) ++at;
  return at;
}

// Longer ones are taken for text: without a bound, an introducer among binary output would hide all
// that follows it, and many of them would take long.
constexpr std::size_t kLongestString = 8192;

// To its terminator: ESC \ or U+009C, for a title also BEL. 0: there is none.
std::size_t string_length(std::string_view rest, bool ends_at_bell) {
  for (std::size_t at = 0; at < std::min(rest.size(), kLongestString); ++at) {
    if (ends_at_bell && rest[at] == kBell) return at + 1;
    const std::string_view two = rest.substr(at, 2);
    if (two == "\x1b\\" || two == "\xC2\x9C") return at + 2;
  }
  return 0;
}

// ESC, intermediates, a final byte.
std::size_t short_length(std::string_view rest) {
  std::size_t at = 0;
  while (at < rest.size() && is_in(rest[at], '\x20', '\x2F')) ++at;
  if (at < rest.size() && is_in(rest[at], '\x30', '\x7E')) ++at;
  return at;
}

// What `letter` (behind ESC, or as U+0080 + letter - '@') opens, and how long it is.
std::size_t opened_length(char letter, std::string_view rest) {
  switch (letter) {
    case '[':
      return control_length(rest);
    case ']':
      return string_length(rest, true);
    case 'P':
    case 'X':
    case '^':
    case '_':
      return string_length(rest, false);
    default:
      return 0;
  }
}

// The length of the sequence `text` begins with; 0 if it begins with none.
std::size_t sequence_length(std::string_view text) {
  if (is_c1(text)) {
    const char letter = static_cast<char>(text[1] - '\x40');
    return 2 + opened_length(letter, text.substr(2));
  }
  if (text[0] != kEscape) return 0;
  if (text.size() == 1) return 1;
  if (std::string_view("[]PX^_").contains(text[1])) {
    return 2 + opened_length(text[1], text.substr(2));
  }
  return 1 + short_length(text.substr(1));
}

}  // namespace

std::string strip_ansi(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const std::size_t next = std::min(text.find_first_of("\x1b\xC2"), text.size());
    plain += text.substr(0, next);
    text.remove_prefix(next);
    if (text.empty()) break;
    const std::size_t length = sequence_length(text);
    if (length == 0) {  // a character that begins like one of them
      plain += text.front();
      text.remove_prefix(1);
    } else {
      text.remove_prefix(length);
    }
  }
  return plain;
}

}  // namespace talaria
