#include <talaria/call.h>

#include <boost/json/parse.hpp>

#include "front/cli/fronts.h"
#include "front/cli/report.h"
#include "front/cli/table.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

std::string first_sentence(std::string_view text) {
  const std::size_t end = text.find(". ");
  return std::string(end == std::string_view::npos ? text : text.substr(0, end + 1));
}

bool contains(const json::array& names, std::string_view name) {
  for (const json::value& one : names) {
    if (one.as_string() == name) return true;
  }
  return false;
}

// "command [timeout] [workdir]": those in brackets may be left out.
std::string argument_names(const json::object& schema) {
  const json::value* required = schema.if_contains("required");
  std::string names;
  for (const auto& [name, about] : schema.at("properties").as_object()) {
    if (!names.empty()) names += " ";
    const bool needed = required && contains(required->as_array(), name);
    names += needed ? std::string(name) : "[" + std::string(name) + "]";
  }
  return names;
}

}  // namespace

int run_command(const ToolsOptions& options, const Stdio& stdio) {
  json::array all;
  Table table({"TOOL", "WHAT IT DOES", "ARGUMENTS"});
  for (const ToolInfo& tool : tools()) {
    const json::object schema = json::parse(tool.schema).as_object();
    table.add({std::string(tool.name), first_sentence(tool.description), argument_names(schema)});
    all.push_back(json::object{
        {"name", tool.name}, {"description", tool.description}, {"parameters", schema}});
  }
  const std::string text = options.json ? to_line(json::object{{"tools", std::move(all)}}) + "\n"
                                        : table.drawn(style_for(stdio.out));
  return report_text(text, stdio);
}

}  // namespace talaria::front::cli
