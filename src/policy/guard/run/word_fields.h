// WordFields: the words that come into being while one word of a text is expanded.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/guard/path_pieces.h"
#include "policy/guard/run/budget.h"
#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

inline bool has_pattern(std::string_view text) {
  if (text.find_first_of("*?") != std::string_view::npos) return true;
  const std::size_t open = text.find('[');  // alone it is a command
  return open != std::string_view::npos && text.find(']', open) != std::string_view::npos;
}

struct WordFields {
  std::vector<SeenWord>& words;
  Budget& budget;
  bool splits;
  std::string separators;
  SeenWord current = {};
  bool begun = false;  // also by an empty quoted part

  void add(std::string_view text) {
    current.text += text;
    begun = true;
  }
  void add_unknown(bool quoted) {
    if (!current.text.ends_with(kUnknownPiece)) current.text += kUnknownPiece;
    current.temporary = false;
    current.several = current.several || (!quoted && splits);
    begun = true;
  }
  void add_secret(std::string_view name) {
    if (begun && !name.empty()) current.secret = name;
  }
  // Paths that a search has printed, where a word begins or behind NAME=: each is one word or many.
  bool takes_listed() const { return current.text.empty() || current.text.ends_with('='); }
  void add_listed(const std::vector<std::string>& paths, bool quoted) {
    const bool value = !current.text.empty();
    for (const std::string& path : paths) {
      if (!value) finish();
      if (value && !current.text.ends_with('=')) add(" ");
      add(path);
      current.pattern = current.pattern || listed_word(path).pattern;
      current.several = !quoted && splits;
      current.listed = true;
    }
  }
  // A variable that nobody has set is nothing: $none/home/me/x is /home/me/x. Another directory
  // that has a home in it is rare.
  void drop_unknown_before_home() {
    const std::size_t equals = current.text.find('=');
    const std::size_t at = current.text.starts_with(kUnknownPiece) ? 0 : equals + 1;
    if (at >= current.text.size() || current.text[at] != kUnknownPiece) return;
    const std::string_view rest = std::string_view(current.text).substr(at + 1);
    if (rest.starts_with('/') && any_home(rest) > 0) current.text.erase(at, 1);
  }
  void finish() {
    if (!begun) return;
    drop_unknown_before_home();
    budget.spend(current.text.size() + Budget::kWordBytes);
    current.temporary = current.temporary && current.text.size() == 1;
    words.push_back(std::move(current));
    current = {};
    begun = false;
  }
  void add_split(const SeenWord& value) {
    if (!splits) {
      if (!value.text.empty()) add(value.text);
      add_secret(value.secret);
      current.temporary = value.temporary;
      current.listed = value.listed;
      return;
    }
    const bool pattern = value.pattern || has_pattern(value.text);
    bool separated = false;  // by one that is no blank: the next such one ends an empty word
    for (const char c : value.text) {
      if (separators.contains(c)) {
        const bool blank = c == ' ' || c == '\t' || c == '\n';
        if (!blank && !begun && !separated) begun = true;
        separated = begun && blank;
        finish();
      } else {
        current.text += c;
        current.pattern = current.pattern || pattern;
        current.several = current.several || c == kUnknownPiece;
        current.temporary = value.temporary;
        current.listed = value.listed;
        begun = true;
        separated = false;
        add_secret(value.secret);
      }
    }
  }
};

}  // namespace talaria::guard
