#include "policy/guard/run/braces.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxBraceWords = 256;
constexpr std::size_t kMaxBraceLetters = 500;

struct Group {
  std::size_t open;
  std::size_t close;
  std::vector<std::size_t> commas;
};

// The first {…} that has a comma, or two dots, at its own level.
std::optional<Group> find_group(const BraceWord& word, std::size_t from) {
  std::vector<Group> open;
  std::optional<Group> found;
  for (std::size_t i = from; i < word.size(); ++i) {
    if (word[i].part) continue;
    if (word[i].letter == '{') {
      open.push_back({.open = i});
    } else if (word[i].letter == ',' && !open.empty()) {
      open.back().commas.push_back(i);
    } else if (word[i].letter == '}' && !open.empty()) {
      Group group = std::move(open.back());
      open.pop_back();
      group.close = i;
      bool dots = false;
      const bool short_enough = i - group.open < 40;  // a sequence is
      for (std::size_t k = group.open; group.commas.empty() && short_enough && k + 1 < i; ++k) {
        dots = dots || (word[k].letter == '.' && word[k + 1].letter == '.');
      }
      const bool expands = !group.commas.empty() || dots;
      if (expands && (!found || group.open < found->open)) found = std::move(group);
    }
  }
  return found;
}

BraceWord letters(const std::string& text) {
  BraceWord word;
  for (const char c : text) word.push_back({.letter = c});
  return word;
}

// 1..5, a..e, 0..10..2; nothing: it is none of those.
std::optional<std::vector<BraceWord>> sequence(const BraceWord& word, const Group& group) {
  std::string text;
  for (std::size_t i = group.open + 1; i < group.close; ++i) {
    if (word[i].part) return std::nullopt;
    text += word[i].letter;
  }
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  const std::string first = text.substr(0, dots);
  std::string last = text.substr(dots + 2);
  int step = 1;
  if (const std::size_t more = last.find(".."); more != std::string::npos) {
    step = std::max(1, std::abs(std::atoi(last.c_str() + more + 2)));
    last.resize(more);
  }
  int begin = 0;
  int end = 0;
  const bool letter = first.size() == 1 && last.size() == 1 && std::isalpha(first[0]) != 0 &&
                      std::isalpha(last[0]) != 0;
  if (letter) {
    begin = first[0];
    end = last[0];
  } else {
    const auto whole = [](const std::string& part, int& value) {
      const auto [rest, error] = std::from_chars(part.data(), part.data() + part.size(), value);
      return error == std::errc() && rest == part.data() + part.size();
    };
    if (!whole(first, begin) || !whole(last, end)) return std::nullopt;
  }
  std::vector<BraceWord> words;
  const int direction = begin <= end ? step : -step;
  for (int at = begin; direction > 0 ? at <= end : at >= end; at += direction) {
    if (words.size() > kMaxBraceWords) break;
    words.push_back(letters(letter ? std::string(1, static_cast<char>(at)) : std::to_string(at)));
  }
  return words;
}

BraceWord slice(const BraceWord& word, std::size_t begin, std::size_t end) {
  return {word.begin() + static_cast<std::ptrdiff_t>(begin),
          word.begin() + static_cast<std::ptrdiff_t>(end)};
}

bool expand(const BraceWord& word, std::size_t from, std::vector<BraceWord>& words, int depth) {
  const std::optional<Group> group = find_group(word, from);
  if (!group) {
    words.push_back(word);
    return words.size() <= kMaxBraceWords;
  }
  if (depth > 12) return false;
  std::vector<BraceWord> choices;
  if (group->commas.empty()) {
    std::optional<std::vector<BraceWord>> counted = sequence(word, *group);
    if (!counted) return expand(word, group->close + 1, words, depth + 1);
    choices = std::move(*counted);
  } else {
    std::size_t begin = group->open + 1;
    for (const std::size_t comma : group->commas) {
      choices.push_back(slice(word, begin, comma));
      begin = comma + 1;
    }
    choices.push_back(slice(word, begin, group->close));
  }
  for (const BraceWord& choice : choices) {
    BraceWord whole = slice(word, 0, group->open);
    whole.insert(whole.end(), choice.begin(), choice.end());
    whole.insert(whole.end(), word.begin() + static_cast<std::ptrdiff_t>(group->close) + 1,
                 word.end());
    if (!expand(whole, group->open, words, depth + 1)) return false;
  }
  return true;
}

}  // namespace

bool may_have_braces(const ShellWord& word) {
  for (const WordPart& part : word.parts) {
    if (part.kind == WordPart::Kind::text && !part.quoted && part.text.contains('{')) return true;
  }
  return false;
}

bool expand_braces(const ShellWord& word, std::vector<BraceWord>& words) {
  BraceWord pieces;
  for (const WordPart& part : word.parts) {
    if (part.text.size() > kMaxBraceLetters) return false;
    if (part.kind == WordPart::Kind::text && !part.quoted) {
      for (const char c : part.text) pieces.push_back({.letter = c});
    } else {
      pieces.push_back({.part = &part});
    }
    if (pieces.size() > kMaxBraceLetters) return false;
  }
  return expand(pieces, 0, words, 0);
}

}  // namespace talaria::guard
