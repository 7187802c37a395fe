#include "edit/fold.h"

#include <algorithm>
#include <array>

namespace talaria::edit {

std::optional<Range> Fold::source(Range range) const {
  const auto begin = source(range.begin);
  const auto end = source(range.end);
  if (!begin || !end) return std::nullopt;
  return Range{*begin, *end};
}

std::optional<std::size_t> Fold::source(std::size_t position) const {
  const auto after = std::ranges::upper_bound(atoms_, position, {}, &Atom::begin);
  if (after == atoms_.begin()) return position;
  const Atom& atom = *std::prev(after);
  if (position == atom.begin) return atom.source_begin;
  const std::size_t end = std::size_t{atom.begin} + atom.size;
  if (position < end) return std::nullopt;
  return atom.source_begin + std::size_t{atom.source_size} + (position - end);
}

void Fold::keep(std::string_view bytes) {
  text_ += bytes;
  source_size_ += bytes.size();
}

void Fold::put(std::string_view instead, std::size_t source_bytes) {
  atoms_.push_back(
      {static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(instead.size()),
       static_cast<std::uint32_t>(source_size_), static_cast<std::uint32_t>(source_bytes)});
  text_ += instead;
  source_size_ += source_bytes;
}

Fold fold_line_endings(std::string_view text) {
  Fold fold;
  std::size_t copied = 0;
  for (std::size_t at = 0; (at = text.find("\r\n", at)) != std::string_view::npos; at += 2) {
    fold.keep(text.substr(copied, at - copied));
    fold.put("\n", 2);
    copied = at + 2;
  }
  fold.keep(text.substr(copied));
  return fold;
}

Fold fold_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  Fold fold;
  std::size_t copied = 0;
  std::size_t at = 0;
  while ((at = text.find_first_of(kBlanks, at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_not_of(kBlanks, at), text.size());
    if (end - at > 1 || text[at] == '\t') {
      fold.keep(text.substr(copied, at - copied));
      fold.put(" ", end - at);
      copied = end;
    }
    at = end;
  }
  fold.keep(text.substr(copied));
  return fold;
}

namespace {

struct Typeset {
  std::string_view character;
  std::string_view typed;
};

constexpr std::array kTypeset{
    Typeset{"\u201C", "\""},  Typeset{"\u201D", "\""}, Typeset{"\u2018", "'"},
    Typeset{"\u2019", "'"},   Typeset{"\u2014", "--"}, Typeset{"\u2013", "-"},
    Typeset{"\u2026", "..."}, Typeset{"\u00A0", " "},
};

const Typeset* typeset_at(std::string_view text) {
  const auto found = std::ranges::find_if(
      kTypeset, [text](const Typeset& row) { return text.starts_with(row.character); });
  return found == kTypeset.end() ? nullptr : &*found;
}

}  // namespace

Fold fold_typography(std::string_view text) {
  constexpr std::string_view kFirstBytes = "\xE2\xC2";
  Fold fold;
  std::size_t copied = 0;
  std::size_t at = 0;
  while ((at = text.find_first_of(kFirstBytes, at)) != std::string_view::npos) {
    const Typeset* row = typeset_at(text.substr(at));
    if (!row) {
      ++at;
      continue;
    }
    fold.keep(text.substr(copied, at - copied));
    fold.put(row->typed, row->character.size());
    copied = at += row->character.size();
  }
  fold.keep(text.substr(copied));
  return fold;
}

}  // namespace talaria::edit
