#include "tools/tool_table.h"

#include <algorithm>

namespace talaria::tool {

std::string description_of(const Tool& tool, const host::Config& config,
                           const std::optional<std::vector<std::string>>& tools) {
  return tool.describe ? tool.describe(config, tools) : std::string(tool.description);
}

std::string schema_of(const Tool& tool, const std::optional<std::vector<std::string>>& tools) {
  return tool.schema_for ? tool.schema_for(tools) : std::string(tool.schema);
}

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

}  // namespace talaria::tool
