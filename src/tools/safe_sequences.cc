#include "tools/safe_sequences.h"

#include <algorithm>
#include <cstddef>

#include "base/escape_sequence.h"
#include "base/text.h"

namespace talaria::tool {
namespace {

using escape::is_intermediate;
using escape::kEscape;
constexpr char kDelete = '\177';

// What begins a string that no terminal shows: DCS, SOS, PM, APC. They are passed on as the kind
// that ends the same way and, with this number, means nothing: the library prints some of them, and
// falls over a question in another.
constexpr std::string_view kUnseenStrings = "PX^_";
constexpr std::string_view kUnseenString = "\033]9999;";

constexpr std::size_t kMostHeld = 256;
constexpr std::size_t kMostParameters = 16;
constexpr std::size_t kMostMarks = 2;  // in front of the parameters, and behind them
constexpr std::uint32_t kLargestNumber = 9999;

bool is_parameter(char c) { return is_digit(c) || c == ';' || c == ':'; }
bool is_leader(char c) { return c >= '<' && c <= '?'; }

// Takes the characters of one kind off the front.
std::string_view take_all(std::string_view& text, bool (*kind)(char)) {
  const auto end = std::ranges::find_if_not(text, kind);
  const std::string_view taken = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(taken.size());
  return taken;
}

std::uint32_t number_of(std::string_view digits, std::uint32_t largest) {
  std::uint32_t number = 0;
  for (const char digit : digits) {
    number = std::min(number * 10 + static_cast<std::uint32_t>(digit - '0'), largest);
  }
  return number;
}

std::string limited(std::string_view parameters) {
  std::string result;
  for (std::size_t count = 1; count <= kMostParameters; ++count) {
    const std::string_view digits = take_all(parameters, is_digit);
    if (!digits.empty()) result += std::to_string(number_of(digits, kLargestNumber));
    if (parameters.empty()) return result;
    if (count < kMostParameters) result += parameters.front();
    parameters.remove_prefix(1);
  }
  return result;
}

// The sequence ESC [ ... `last`, made harmless; nothing if it is none.
std::string whole_sequence(std::string_view held, char last) {
  const std::string_view leader = take_all(held, is_leader);
  const std::string_view parameters = take_all(held, is_parameter);
  const std::string_view marks = take_all(held, is_intermediate);
  if (!held.empty() || leader.size() > kMostMarks || marks.size() > kMostMarks) return "";
  std::string result{kEscape, '['};
  result.append(leader).append(limited(parameters)).append(marks);
  return result += last;
}

bool is_control(char c) { return (c >= 0 && c < ' ') || c == kDelete; }
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The last character of the text that is not a control character; empty if there is none.
std::string_view last_character(std::string_view text) {
  while (!text.empty() && is_control(text.back())) text.remove_suffix(1);
  for (std::size_t at = text.size(); at > 0; --at) {
    if (!continues_character(text[at - 1])) return text.substr(at - 1);
  }
  return {};
}

}  // namespace

std::string SafeSequences::pass(std::string_view bytes, std::uint32_t most) {
  std::string out;
  out.reserve(bytes.size() + held_.size());
  while (!bytes.empty()) {
    if (place_ == Place::text) {
      const std::size_t plain = std::min(bytes.find(kEscape), bytes.size());
      out.append(bytes.substr(0, plain));
      if (const auto last = last_character(bytes.substr(0, plain)); !last.empty()) last_ = last;
      bytes.remove_prefix(plain);
      if (bytes.empty()) break;
    }
    take(bytes.front(), most, out);
    bytes.remove_prefix(1);
  }
  return out;
}

void SafeSequences::take(char byte, std::uint32_t most, std::string& out) {
  if (byte == kEscape) {  // also ends what was under way
    place_ = Place::escape;
    held_.clear();
    too_long_ = false;
  } else if (byte == escape::kCancel || byte == escape::kSubstitute) {
    out += byte;
    place_ = Place::text;
  } else if (is_control(byte)) {  // acts at once, wherever it is
    out += byte;
  } else if (place_ == Place::escape) {
    take_escape(byte, out);
  } else {
    take_sequence(byte, most, out);
  }
}

void SafeSequences::take_escape(char byte, std::string& out) {
  if (is_intermediate(byte)) {
    hold(byte);
    return;
  }
  place_ = Place::text;
  if (byte == '[') {
    place_ = Place::sequence;
    held_.clear();
  } else if (byte < 0) {
    out += byte;  // the beginning of a character
  } else if (kUnseenStrings.contains(byte)) {
    out += kUnseenString;
  } else if (held_.size() <= kMostMarks) {
    out.append(1, kEscape).append(held_).append(1, byte);
  }
}

void SafeSequences::take_sequence(char byte, std::uint32_t most, std::string& out) {
  if (byte >= 0 && !escape::is_control_end(byte)) {
    hold(byte);
    return;
  }
  place_ = Place::text;
  if (byte < 0) {
    out += byte;  // the beginning of a character
  } else if (byte == 'b' && std::ranges::all_of(held_, is_parameter)) {
    repeat(most, out);
  } else if (!too_long_) {
    out += whole_sequence(held_, byte);
  }
}

void SafeSequences::repeat(std::uint32_t most, std::string& out) const {
  std::string_view parameters = held_;
  const std::uint32_t times = number_of(take_all(parameters, is_digit), most);
  for (std::uint32_t i = 0; i < std::max(times, 1u); ++i) out += last_;
}

void SafeSequences::hold(char byte) {
  too_long_ = too_long_ || held_.size() == kMostHeld;
  if (!too_long_) held_ += byte;
}

}  // namespace talaria::tool
