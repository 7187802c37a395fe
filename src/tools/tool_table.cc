#include "tools/tool_table.h"

#include <algorithm>
#include <map>

#include <boost/json/parse.hpp>

#include "base/message.h"

namespace talaria::tool {
namespace {

constexpr std::size_t kShownNameBytes = 64;

}  // namespace

std::string description_of(const Tool& tool, const host::Config& config,
                           const std::optional<std::vector<std::string>>& tools) {
  return tool.describe ? tool.describe(config, tools) : std::string(tool.description);
}

std::string schema_of(const Tool& tool, const host::Config& config,
                      const std::optional<std::vector<std::string>>& tools) {
  return tool.schema_for ? tool.schema_for(config, tools) : std::string(tool.schema);
}

bool is_offered(const Tool& tool, const host::Config& config) {
  return tool.is_offered == nullptr || tool.is_offered(config);
}

std::vector<ToolInfo> list_tools(const host::Config& config,
                                 const std::optional<std::vector<std::string>>& only) {
  std::vector<ToolInfo> list;
  for (const Tool& tool : kTools) {
    const bool wanted = !only || std::ranges::find(*only, tool.name) != only->end();
    if (!wanted || !is_offered(tool, config)) continue;
    list.push_back({.name = tool.name,
                    .description = description_of(tool, config, only),
                    .schema = schema_of(tool, config, only)});
  }
  return list;
}

namespace {

using Names = std::vector<std::string>;

// The arguments of each tool, in the order of its schema. Never destroyed: calls of other threads
// may outlive static objects.
const std::map<std::string_view, Names>& argument_names() {
  static const auto& names = *new std::map<std::string_view, Names>([] {
    std::map<std::string_view, Names> all;
    for (const Tool& tool : kTools) {
      const json::value schema = json::parse(schema_of(tool, host::Config{}));
      for (const auto& property : schema.at("properties").as_object()) {
        all[tool.name].emplace_back(property.key());
      }
    }
    return all;
  }());
  return names;
}

}  // namespace

std::string argument_flaw(const Tool& tool, const json::object& arguments) {
  const auto found = argument_names().find(tool.name);
  if (found == argument_names().end()) return "";
  const Names& names = found->second;
  for (const auto& argument : arguments) {
    const std::string_view name = argument.key();
    if (std::ranges::find(names, name) != names.end() || has_word(tool.also, name)) continue;
    std::string list;
    for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
    return std::string(tool.name) + " has no argument '" +
           sanitize_utf8(first_bytes(name, kShownNameBytes)) + "'. Its arguments are: " + list +
           ".";
  }
  return "";
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
