#include <talaria/configuration.h>

#include <utility>

#include "api/given_settings.h"
#include "host/config.h"
#include "tools/json_text.h"

namespace talaria {
namespace {

SettingInfo describe(const ResolvedSetting& one) {
  return {.name = std::string(one.setting->name()),
          .value = to_line(one.shown_value()),
          .origin = std::string(origin_name(one.origin)),
          .place = one.place,
          .flaw = one.complaint,
          .counts = one.counts,
          .works = one.setting->details.standing == Standing::works};
}

}  // namespace

Result<Configuration> read_configuration(const Options& options) {
  const Caller caller = caller_of(options);
  Result<std::vector<ConfigFlag>> flags = config_flags(options.settings);
  if (!flags) return fail(flags.error());
  const Result<ConfigSources> sources = read_sources(caller, std::move(*flags));
  if (!sources) return fail(sources.error());
  const Resolution resolution = resolve(caller, *sources);
  // It knows of more that is left out.
  const Result<Config> config = make_config(resolution, kAgentLifetime);

  Configuration found{.home = resolution.home,
                      .target = resolution.target,
                      .notices = config ? config->notices : resolution.notices,
                      .errors = resolution.errors()};
  for (const ResolvedSetting& one : resolution.settings) found.settings.push_back(describe(one));
  return found;
}

}  // namespace talaria
