#include "tools/tool_table.h"

#include <algorithm>

namespace talaria {

const Tool* find_tool(std::string_view name) {
  const auto found = std::ranges::find(kTools, name, &Tool::name);
  return found == kTools.end() ? nullptr : &*found;
}

std::string tool_names() {
  std::string names;
  for (const Tool& tool : kTools) {
    if (!names.empty()) names += ", ";
    names += tool.name;
  }
  return names;
}

}  // namespace talaria
