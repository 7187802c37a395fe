#include "api/given_settings.h"

#include <algorithm>

#include "host/child_env.h"
#include "host/config.h"
#include "host/config/setting_table.h"

namespace talaria {

host::Caller caller_of(const Options& options) {
  host::Caller caller = host::Caller::of_this_process();
  if (options.home) {
    host::set_variable(caller.variables, "TALARIA_HOME", caller.absolute(*options.home));
  }
  if (options.cwd) caller.cwd = caller.absolute(*options.cwd);
  return caller;
}

std::chrono::seconds default_lifetime(const Options& options) {
  return options.lifetime == Lifetime::agent ? host::kAgentLifetime : host::kCommandLineLifetime;
}

Result<std::vector<host::ConfigFlag>> config_flags(const std::vector<GivenSetting>& settings) {
  std::vector<host::ConfigFlag> flags;
  for (const GivenSetting& given : settings) {
    const auto known = std::ranges::find(host::all_settings(), given.name, &host::Setting::name);
    if (known == host::all_settings().end()) {
      return fail(
          Error(ErrorReason::setting, ErrorKind::bad_request,
                "unknown setting '" + given.name + "'; `talaria config --all` lists the settings"));
    }
    flags.push_back(
        {known->name(), given.place.empty() ? known->name() : given.place, given.value});
  }
  return flags;
}

}  // namespace talaria
