#include "policy/guard/run/read_values.h"

#include <memory>
#include <string>

#include "base/text.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {

std::vector<std::vector<Value>> values_of_lines(std::string_view text, std::size_t names) {
  constexpr std::size_t kMaxLines = 32;
  std::vector<std::vector<Value>> values(names);
  for (std::size_t lines = 0; !text.empty(); ++lines) {
    std::string_view line = next_word(text, '\n');
    if (lines >= kMaxLines) return {};
    for (std::size_t i = 0; i < names; ++i) {
      line = trim(line);
      const bool last = i + 1 == names;
      const std::string_view piece = last ? line : line.substr(0, line.find_first_of(" \t"));
      line.remove_prefix(piece.size());
      values[i].push_back(
          std::make_shared<const ShellValue>(ShellValue{{{.text = std::string(piece)}}}));
    }
  }
  return values;
}

ShellValue array_of_lines(std::string_view text) {
  ShellValue all{{}, true};
  while (!text.empty()) all.items.push_back({std::string(next_word(text, '\n'))});
  return all;
}

}  // namespace talaria::guard
