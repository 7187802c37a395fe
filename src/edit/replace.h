// replace_text(): one text for another in the bytes of a file.
//
// What is not replaced stays byte for byte as it was: a BOM, line endings of either kind, bytes
// that are not UTF-8. What is put in gets the line endings of what it replaces. If old and new text
// differ in nothing but their line endings, those are what is replaced.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "edit/edit_failure.h"
#include "edit/strategies.h"

namespace talaria::edit {

struct Replacement {
  std::string_view old_text;
  std::string_view new_text;
  bool all = false;  // every place, from the start, none that overlaps the one before
};

struct Replaced {
  std::string content;
  Strategy strategy = Strategy::exact;
  std::vector<std::size_t> lines;  // where the replaced texts began, from 1
};

Edit<Replaced> replace_text(std::string_view content, const Replacement& replacement);

}  // namespace talaria::edit
