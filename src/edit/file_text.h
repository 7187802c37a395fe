// FileText: the bytes of a file as text to search in: without a BOM, with every line ending in LF,
// and with the way back to the bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.h"
#include "edit/fold.h"
#include "edit/lines.h"

namespace talaria::edit {

// More bytes or more lines than there is memory for.
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
  // What a line gets that is put in where this line is: its own ending, or that of the line before.
  // Nothing if the file has one line without an end.
  std::string_view ending_near(std::size_t line) const;

 private:
  std::string_view bytes_;
  std::size_t bom_;
  Fold fold_;
  Lines lines_;
};

}  // namespace talaria::edit
