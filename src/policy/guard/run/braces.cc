#include "policy/guard/run/braces.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

#include "base/text.h"
#include "policy/guard/syntax/script_reader.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxBraceWords = 256;
constexpr std::size_t kMaxBraceLetters = 500;
constexpr int kMaxBraceDepth = 12;

// A part that braces cannot cut is one letter: its number above kPart.
using Letters = std::u32string;
constexpr char32_t kPart = 0x100;

// The choices of the group that opens at `open`, and where it closes; none: it is no group.
std::vector<Letters> read_group(const Letters& word, std::size_t open, std::size_t& close) {
  std::vector<Letters> choices;
  int depth = 0;
  std::size_t begin = open + 1;
  for (close = open; close < word.size(); ++close) {
    if (word[close] == U'{') ++depth;
    if (word[close] == U'}') --depth;
    if (depth > 1 || (depth == 1 && word[close] != U',')) continue;
    choices.push_back(word.substr(begin, close - begin));
    begin = close + 1;
    if (depth == 0) return choices;
  }
  return {};
}

// 1..5, a..e, 0..10..2; none: it is none of those.
std::vector<Letters> read_sequence(const Letters& letters) {
  std::string text;
  for (const char32_t one : letters) text += one < kPart ? static_cast<char>(one) : ' ';
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {};
  const std::string first = text.substr(0, dots);
  std::string last = text.substr(dots + 2);
  int step = 1;
  if (const std::size_t more = last.find(".."); more != std::string::npos) {
    step = std::max(1, std::abs(std::atoi(last.c_str() + more + 2)));
    last.resize(more);
  }
  std::optional<int> begin = parse_integer<int>(first);
  std::optional<int> end = parse_integer<int>(last);
  const bool letter = first.size() == 1 && last.size() == 1 && std::isalpha(first[0]) != 0 &&
                      std::isalpha(last[0]) != 0;
  if (letter) {
    begin = first[0];
    end = last[0];
  }
  std::vector<Letters> words;
  if (!begin || !end) return words;
  const int direction = *begin <= *end ? step : -step;
  for (int at = *begin; direction > 0 ? at <= *end : at >= *end; at += direction) {
    const std::string one = letter ? std::string(1, static_cast<char>(at)) : std::to_string(at);
    words.emplace_back(one.begin(), one.end());
    if (words.size() > kMaxBraceWords) break;
  }
  return words;
}

// False: there are too many.
bool expand_from(const Letters& word, std::size_t from, int depth, std::vector<Letters>& words) {
  for (std::size_t open = word.find(U'{', from); open != Letters::npos;
       open = word.find(U'{', open + 1)) {
    std::size_t close = 0;
    std::vector<Letters> choices = read_group(word, open, close);
    if (choices.size() == 1) choices = read_sequence(choices.front());
    if (choices.empty()) continue;
    if (depth > kMaxBraceDepth) return false;
    return std::ranges::all_of(choices, [&](const Letters& choice) {
      return expand_from(word.substr(0, open) + choice + word.substr(close + 1), open, depth + 1,
                         words);
    });
  }
  words.push_back(word);
  return words.size() <= kMaxBraceWords;
}

// $v{a,b} is $va and $vb: braces come first.
bool goes_on(const WordPart& part, char letter) {
  return part.kind == WordPart::Kind::variable && !part.quoted && !part.detail &&
         is_name_start(part.text.front()) && is_name_char(letter);
}

WordParts parts_of(const Letters& letters, const ShellWord& word, std::deque<WordPart>& made) {
  using Kind = WordPart::Kind;
  WordParts parts;
  bool open = false;  // the last part is letters
  for (const char32_t one : letters) {
    const char letter = static_cast<char>(one);
    if (one >= kPart) {
      parts.push_back(&word.parts[one - kPart]);
    } else if (open) {
      made.back().text += letter;
    } else if (!parts.empty() && goes_on(*parts.back(), letter)) {
      parts.back() = &made.emplace_back(Kind::variable, false, parts.back()->text + letter);
      continue;
    } else {
      parts.push_back(&made.emplace_back(Kind::text, false, std::string(1, letter)));
    }
    open = one < kPart;
  }
  return parts;
}

}  // namespace

bool may_have_braces(const ShellWord& word) {
  return std::ranges::any_of(word.parts, [](const WordPart& part) {
    return part.kind == WordPart::Kind::text && !part.quoted && part.text.contains('{');
  });
}

std::vector<WordParts> expand_braces(const ShellWord& word, std::deque<WordPart>& made) {
  Letters letters;
  for (std::size_t i = 0; i < word.parts.size(); ++i) {
    const WordPart& part = word.parts[i];
    if (part.text.size() + letters.size() > kMaxBraceLetters) return {};
    if (part.kind == WordPart::Kind::text && !part.quoted) {
      for (const char c : part.text) letters += static_cast<unsigned char>(c);
    } else {
      letters += static_cast<char32_t>(kPart + i);
    }
  }
  std::vector<Letters> words;
  if (!expand_from(letters, 0, 0, words)) return {};
  std::vector<WordParts> all;
  for (const Letters& one : words) all.push_back(parts_of(one, word, made));
  return all;
}

}  // namespace talaria::guard
