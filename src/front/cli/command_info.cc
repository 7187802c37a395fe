#include "front/cli/command_info.h"

#include <algorithm>

namespace talaria::front::cli {

std::string Given::value(std::string_view name) const {
  const auto found = values.find(name);
  return found == values.end() ? "" : found->second;
}

const Option* CommandInfo::find_option(std::string_view option) const {
  const auto found = std::ranges::find_if(options, [&](const Option& one) {
    return one.name == option || (!one.brief.empty() && one.brief == option);
  });
  return found == options.end() ? nullptr : &*found;
}

Option json_option(std::string_view meaning) { return {"--json", "", meaning}; }

Option target_option() {
  return {.name = "--target",
          .value = "NAME",
          .meaning = "Instead of TERMINAL_ENV: where to run",
          .choices = kTargetNames,
          .setting = "TERMINAL_ENV"};
}

std::vector<Option> setting_options() {
  return {target_option(),
          {.name = "--cwd",
           .value = "DIR",
           .meaning = "Instead of TERMINAL_CWD: where new sessions start",
           .offer = Offer::directories,
           .setting = "TERMINAL_CWD"},
          {.name = "--timeout",
           .value = "SECONDS",
           .meaning = "Instead of TERMINAL_TIMEOUT: for calls that do not say",
           .setting = "TERMINAL_TIMEOUT"}};
}

}  // namespace talaria::front::cli
