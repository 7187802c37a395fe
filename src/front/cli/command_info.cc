#include "front/cli/command_info.h"

#include <algorithm>

#include "base/duration.h"
#include "base/limits.h"
#include "base/to_number.h"

namespace talaria::front::cli {

std::string Given::value(std::string_view name) const { return optional(name).value_or(""); }

std::optional<std::string> Given::optional(std::string_view name) const {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Given::list(std::string_view name) const {
  const auto found = lists.find(name);
  return found == lists.end() ? std::vector<std::string>() : found->second;
}

std::optional<std::uint64_t> Given::count(std::string_view name) const {
  const auto text = optional(name);
  if (!text) return std::nullopt;
  return to_number<std::uint64_t>(*text);
}

std::chrono::milliseconds Given::time(std::string_view name) const {
  return parse_time(value(name)).value_or(std::chrono::milliseconds(0));
}

std::optional<std::uint64_t> Given::seconds(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  return static_cast<std::uint64_t>(time(name).count()) / 1000;
}

const Option* CommandInfo::find_option(std::string_view option) const {
  const auto found = std::ranges::find_if(options, [&](const Option& one) {
    return one.name == option || (!one.brief.empty() && one.brief == option);
  });
  return found == options.end() ? nullptr : &*found;
}

Option json_option(std::string_view meaning) { return {"--json", "", meaning}; }

Option task_option(std::string_view meaning) {
  return {.name = "--task",
          .value = "NAME",
          .meaning = meaning,
          .accepts = Accepts::name,
          .max_bytes = kMaxTaskBytes};
}

Option timeout_option(std::string_view meaning) {
  return {.name = "--timeout", .value = "TIME", .meaning = meaning, .accepts = Accepts::time};
}

Option target_option(std::string_view meaning) {
  return {.name = "--target",
          .value = "NAME",
          .meaning = meaning,
          .choices = kTargetNames,
          .setting = "TERMINAL_ENV",
          .accepts = Accepts::choices};
}

Option process_target_option() {
  return target_option(
      "Where to look for a process that this home has no record of (default: value of "
      "TERMINAL_ENV)");
}

std::vector<Option> with_setting_options(std::vector<Option> options) {
  options.push_back(target_option());
  options.push_back(
      {.name = "--cwd",
       .value = "DIR",
       .meaning = "Directory where new sessions start (default: value of TERMINAL_CWD)",
       .offer = Offer::directories,
       .setting = "TERMINAL_CWD"});
  options.push_back({.name = "--timeout",
                     .value = "TIME",
                     .meaning = "Default time limit of a command, such as 90s, 5m or 2h (default: "
                                "value of TERMINAL_TIMEOUT)",
                     .setting = "TERMINAL_TIMEOUT",
                     .accepts = Accepts::some_seconds});
  return options;
}

}  // namespace talaria::front::cli
