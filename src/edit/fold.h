// Fold: a text rewritten to a normal form, and the map back: which range of the source a range of
// the rewritten text stands for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::edit {

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const Range&) const = default;
};

class Fold {
 public:
  const std::string& text() const { return text_; }
  bool changed() const { return !atoms_.empty(); }

  // Nothing if the range begins or ends within what stands for one unit of the source, as the
  // second dash of a "--" that was U+2014 does.
  std::optional<Range> source(Range range) const;

  // How one is made: the next bytes of the source as they are, or as something else.
  void keep(std::string_view bytes);
  void put(std::string_view instead, std::size_t source_bytes);

 private:
  // Four bytes are enough: files above kMaxEditBytes are refused.
  struct Atom {
    std::uint32_t begin;
    std::uint32_t size;  // never 0
    std::uint32_t source_begin;
    std::uint32_t source_size;
  };

  std::optional<std::size_t> source(std::size_t position) const;

  std::string text_;
  std::size_t source_size_ = 0;
  std::vector<Atom> atoms_;  // what changed; between them text and source are the same
};

Fold fold_line_endings(std::string_view text);  // CRLF becomes LF
Fold fold_blanks(std::string_view text);        // a run of spaces and tabs becomes one space
Fold fold_typography(std::string_view text);    // typeset quotes, dashes, dots and spaces: as typed

}  // namespace talaria::edit
