// The parts of the public interface that need no runtime.
#include <talaria/call.h>
#include <talaria/command.h>

#include "host/caller.h"
#include "host/config.h"
#include "shell/quote.h"
#include "tools/tool_table.h"

namespace talaria {

std::vector<ToolInfo> tools() {
  // Descriptions name limits: those that hold.
  const Config config = read_config(Caller::of_this_process()).value_or(Config{});
  std::vector<ToolInfo> list;
  for (const Tool& tool : kTools) {
    list.push_back({.name = tool.name,
                    .description = description_of(tool, config),
                    .schema = schema_of(tool)});
  }
  return list;
}

std::string quote_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += shell_quote(word);
  }
  return text;
}

}  // namespace talaria
