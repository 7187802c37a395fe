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
  return tool::list_tools(read_config(host::Caller::of_this_process()).value_or(host::Config{}));
}

std::string quote_arguments(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& word : arguments) {
    if (!text.empty()) text += ' ';
    text += shell::shell_quote(word);
  }
  return text;
}

}  // namespace talaria
