#include "base/text.h"

#include <algorithm>
#include <cstdint>

namespace talaria {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

std::uint8_t byte_at(std::string_view text, std::size_t index) {
  return static_cast<std::uint8_t>(text[index]);
}

bool is_continuation(std::uint8_t byte) { return (byte & 0xC0) == 0x80; }

enum class Kind { valid, broken, unfinished };

struct Sequence {
  Kind kind;
  std::size_t size;  // bytes it takes; of a broken one, those no character could begin with
};

struct LeadByte {
  std::size_t size;          // of the whole character; 0 if no character starts with this byte
  std::uint8_t low = 0x80;   // what the second byte may be: shuts out overlong forms, surrogates
  std::uint8_t high = 0xBF;  // and what lies above U+10FFFF
};

LeadByte lead(std::uint8_t byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xC2) return {0};
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0};
}

// What `text`, which is not empty, begins with.
Sequence first_sequence(std::string_view text) {
  const LeadByte start = lead(byte_at(text, 0));
  if (start.size == 0) return {Kind::broken, 1};
  for (std::size_t i = 1; i < start.size; ++i) {
    if (i == text.size()) return {Kind::unfinished, i};
    const std::uint8_t byte = byte_at(text, i);
    const bool fits = i == 1 ? byte >= start.low && byte <= start.high : is_continuation(byte);
    if (!fits) return {Kind::broken, i};
  }
  return {Kind::valid, start.size};
}

// How many bytes of `text` are whole, valid characters before anything else comes.
std::size_t valid_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (byte_at(text, at) < 0x80) {
      ++at;
      continue;
    }
    const Sequence next = first_sequence(text.substr(at));
    if (next.kind != Kind::valid) break;
    at += next.size;
  }
  return at;
}

}  // namespace

void Utf8Sanitizer::feed(std::string_view bytes, std::string& out) {
  std::string joined;
  if (!pending_.empty()) {
    joined = pending_.append(bytes);
    pending_.clear();
    bytes = joined;
  }
  while (!bytes.empty()) {
    const std::size_t valid = valid_prefix(bytes);
    out += bytes.substr(0, valid);
    bytes.remove_prefix(valid);
    if (bytes.empty()) return;
    const Sequence next = first_sequence(bytes);
    if (next.kind == Kind::unfinished) {
      pending_ = bytes;
      return;
    }
    out += kReplacement;
    bytes.remove_prefix(next.size);
  }
}

void Utf8Sanitizer::finish(std::string& out) {
  if (!pending_.empty()) out += kReplacement;
  pending_.clear();
}

std::string sanitize_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  Utf8Sanitizer sanitizer;
  sanitizer.feed(bytes, out);
  sanitizer.finish(out);
  return out;
}

bool is_valid_utf8(std::string_view bytes) { return valid_prefix(bytes) == bytes.size(); }

Utf8Char first_char(std::string_view bytes) {
  const std::uint8_t first = byte_at(bytes, 0);
  if (first < 0x80) return {first, 1};
  const Sequence sequence = first_sequence(bytes);
  if (sequence.kind != Kind::valid) return {0xDC00u + first, 1};
  char32_t value = first & (0x7Fu >> sequence.size);
  for (std::size_t i = 1; i < sequence.size; ++i) value = value << 6 | (byte_at(bytes, i) & 0x3Fu);
  return {value, sequence.size};
}

std::size_t count_chars(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return !is_continuation(static_cast<std::uint8_t>(c));
  }));
}

std::string_view first_chars(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (is_continuation(byte_at(text, at))) continue;
    if (count == 0) break;
    --count;
  }
  return text.substr(0, at);
}

std::string_view last_chars(std::string_view text, std::size_t count) {
  std::size_t at = text.size();
  while (at > 0 && count > 0) {
    --at;
    if (!is_continuation(byte_at(text, at))) --count;
  }
  return text.substr(at);
}

std::string_view without_cut_end(std::string_view bytes) {
  constexpr std::size_t kLongestUnfinished = 3;
  for (std::size_t size = 1; size <= std::min(kLongestUnfinished, bytes.size()); ++size) {
    const std::string_view end = bytes.substr(bytes.size() - size);
    if (is_continuation(byte_at(end, 0))) continue;
    const Sequence last = first_sequence(end);
    if (last.kind == Kind::unfinished && last.size == size) bytes.remove_suffix(size);
    break;
  }
  return bytes;
}

std::string_view without_cut_start(std::string_view bytes) {
  constexpr std::size_t kLongestRest = 3;
  std::size_t rest = 0;
  while (rest < std::min(kLongestRest, bytes.size()) && is_continuation(byte_at(bytes, rest))) {
    ++rest;
  }
  return bytes.substr(rest);
}

std::string_view first_bytes(std::string_view text, std::size_t most) {
  return text.size() <= most ? text : without_cut_end(text.substr(0, most));
}

std::string_view last_bytes(std::string_view text, std::size_t most) {
  return text.size() <= most ? text : without_cut_start(text.substr(text.size() - most));
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::size_t line_break_size(std::string_view text) {
  switch (static_cast<unsigned char>(text.front())) {
    case '\n':
    case '\v':
    case '\f':
    case '\r':
    case 0x1c:
    case 0x1d:
    case 0x1e:
      return 1;
    case 0xc2:
      return text.starts_with("\u0085") ? 2 : 0;
    case 0xe2:
      return text.starts_with("\u2028") || text.starts_with("\u2029") ? kLongestLineBreak : 0;
    default:
      return 0;
  }
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view next_word(std::string_view& words, char separator) {
  const std::size_t end = std::min(words.find(separator), words.size());
  const std::string_view word = words.substr(0, end);
  words.remove_prefix(std::min(end + 1, words.size()));
  return word;
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string in_seconds(std::chrono::milliseconds time) {
  if (time < time.zero()) return "-" + in_seconds(-time);
  std::string text = std::to_string(time.count() / 1000);
  if (const auto rest = time.count() % 1000; rest != 0) {
    text += "." + std::to_string(1000 + rest).substr(1);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

}  // namespace talaria
