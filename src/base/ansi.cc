#include "base/ansi.h"

#include <algorithm>
#include <cstddef>

#include "base/escape_sequence.h"

namespace talaria {
namespace {

using escape::kBell;
using escape::kEscape;

// U+0080 to U+009F as UTF-8: the byte C2, then the character's own number.
bool is_c1(std::string_view text) {
  return text.size() >= 2 && text[0] == '\xC2' && escape::is_between(text[1], '\x80', '\x9F');
}

// How long a sequence is that begins behind its introducer.

// Parameters, intermediates, a final byte. A byte that fits none of them ends it unfinished.
std::size_t control_length(std::string_view rest) {
  std::size_t at = 0;
  while (at < rest.size() && escape::is_parameter(rest[at])) ++at;
  while (at < rest.size() && escape::is_intermediate(rest[at])) ++at;
  if (at < rest.size() && escape::is_control_end(rest[at])) ++at;
  return at;
}

// Longer ones are taken for text: without a bound, an introducer among binary output would hide all
// that follows it, and many of them would take long.
constexpr std::size_t kLongestString = 8192;

// Where the strings of a text end. Asked from left to right, it reads the text once, however many
// strings begin in it and never end.
class StringEnds {
 public:
  explicit StringEnds(std::string_view text) : text_(text) {}

  // How long the string is that begins at `from`, with its terminator: ESC \ or U+009C, for a title
  // also BEL. 0: there is none.
  std::size_t length_at(std::size_t from, bool ends_at_bell) {
    const std::size_t strict = std::min(next(escape_, "\x1b\\", from), next(c1_, "\xC2\x9C", from));
    const std::size_t bell = ends_at_bell ? next(bell_, "\x07", from) : text_.size();
    const std::size_t end = std::min(strict, bell);
    if (end >= text_.size() || end - from >= kLongestString) return 0;
    return end - from + (text_[end] == kBell ? 1 : 2);
  }

 private:
  // The first at `from` or behind it; the text's size if there is none.
  std::size_t next(std::size_t& known, std::string_view what, std::size_t from) {
    if (known == kNotLooked || known < from) known = std::min(text_.find(what, from), text_.size());
    return known;
  }

  static constexpr std::size_t kNotLooked = std::string_view::npos;
  std::string_view text_;
  std::size_t escape_ = kNotLooked;
  std::size_t c1_ = kNotLooked;
  std::size_t bell_ = kNotLooked;
};

// ESC, intermediates, a final byte.
std::size_t short_length(std::string_view rest) {
  std::size_t at = 0;
  while (at < rest.size() && escape::is_intermediate(rest[at])) ++at;
  if (at < rest.size() && escape::is_short_end(rest[at])) ++at;
  return at;
}

// What `letter` (behind ESC, or as U+0080 + letter - '@') opens, and how long it is from `at` on.
std::size_t opened_length(char letter, std::string_view text, std::size_t at, StringEnds& ends) {
  switch (letter) {
    case '[':
      return control_length(text.substr(at));
    case ']':
      return ends.length_at(at, true);
    case 'P':
    case 'X':
    case '^':
    case '_':
      return ends.length_at(at, false);
    default:
      return 0;
  }
}

// The length of the sequence that begins at `at`; 0 if none does.
std::size_t sequence_length(std::string_view text, std::size_t at, StringEnds& ends) {
  const std::string_view rest = text.substr(at);
  if (is_c1(rest)) {
    const char letter = static_cast<char>(rest[1] - '\x40');
    return 2 + opened_length(letter, text, at + 2, ends);
  }
  if (rest[0] != kEscape) return 0;
  if (rest.size() == 1) return 1;
  if (rest[1] == '[' || escape::kStringOpeners.contains(rest[1])) {
    return 2 + opened_length(rest[1], text, at + 2, ends);
  }
  return 1 + short_length(rest.substr(1));
}

}  // namespace

std::string strip_ansi(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  StringEnds ends(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find_first_of("\x1b\xC2", at), text.size());
    plain += text.substr(at, next - at);
    if (next == text.size()) break;
    const std::size_t length = sequence_length(text, next, ends);
    if (length == 0) plain += text[next];  // a character that begins like one of them
    at = next + std::max<std::size_t>(length, 1);
  }
  return plain;
}

}  // namespace talaria
