// FileText: the bytes of a file as text to search in: without a BOM, with every line ending in LF,
// and with a map back to the bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.h"
#include "edit/fold.h"
#include "edit/lines.h"

namespace talaria::edit {

// It has too many bytes or lines.
bool too_large_to_edit(std::string_view bytes);

class FileText {
 public:
  explicit FileText(std::string_view bytes);

  FileText(const FileText&) = delete;  // its lines are views into it
  FileText& operator=(const FileText&) = delete;

  std::string_view bytes() const { return bytes_; }
  const Lines& lines() const { return lines_; }
  std::string_view text() const { return fold_.text(); }

  // Where a range of the text stands in the bytes.
  Range source(Range range) const;
  // What ends this line in the file: "\r\n", "\n", or nothing.
  std::string_view ending(std::size_t line) const;
  // The ending for a line that is inserted here: that of this line, or of the line before. Empty if
  // the file has one line without an end.
  std::string_view ending_near(std::size_t line) const;

 private:
  std::string_view bytes_;
  std::size_t bom_;
  Fold fold_;
  Lines lines_;
};

}  // namespace talaria::edit
