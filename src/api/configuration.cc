#include <talaria/configuration.h>

#include <utility>

#include <boost/asio/io_context.hpp>

#include "api/backends.h"
#include "api/checks.h"
#include "api/given_settings.h"
#include "base/text.h"
#include "host/config.h"
#include "host/host.h"
#include "json/json_text.h"

namespace talaria {
namespace {

std::string_view type_name(host::SettingType type) {
  switch (type) {
    case host::SettingType::integer:
      return "integer";
    case host::SettingType::number:
      return "number";
    case host::SettingType::time:
    case host::SettingType::fine_time:
      return "time";
    case host::SettingType::boolean:
      return "boolean";
    case host::SettingType::flag:
      return "flag";
    case host::SettingType::choice:
      return "choice";
    case host::SettingType::path:
      return "path";
    case host::SettingType::text:
      return "text";
    case host::SettingType::list:
      return "list";
    case host::SettingType::object:
      return "object";
  }
  return "";
}

// Each by the first of its spellings.
std::vector<std::string_view> choices_of(const host::Setting& setting) {
  std::vector<std::string_view> names;
  std::string_view choices = setting.details.choices;
  while (!choices.empty()) {
    std::string_view spellings = next_word(choices);
    names.push_back(next_word(spellings, '='));
  }
  return names;
}

SettingInfo info(const host::Setting& setting) {
  return {.name = setting.name(),
          .variable = setting.variable,
          .older_variable = setting.details.older_variable,
          .key = setting.key,
          .older_key = setting.details.older_key,
          .type = type_name(setting.type),
          .choices = choices_of(setting),
          .default_text = setting.default_text,
          .default_note = setting.details.default_note,
          .targets = setting.details.targets,
          .meaning = setting.meaning,
          .standing = setting.details.standing,
          .secret = setting.details.secret};
}

SettingValue value(const host::ResolvedSetting& one) {
  return {.setting = info(*one.setting),
          .value = to_line(one.shown_value()),
          .origin = std::string(host::origin_name(one.origin)),
          .place = one.place,
          .flaw = one.complaint,
          .counts = one.counts};
}

}  // namespace

std::vector<SettingInfo> settings() {
  std::vector<SettingInfo> list;
  for (const host::Setting& one : host::all_settings()) list.push_back(info(one));
  return list;
}

Result<Configuration> read_configuration(const Options& options) {
  if (const Result<void> fine = check_options(options); !fine) return fail(fine.error());
  const host::Caller caller = caller_of(options);
  Result<std::vector<host::ConfigFlag>> flags = config_flags(options.settings);
  if (!flags) return fail(flags.error());
  const Result<host::ConfigSources> sources = host::read_sources(caller, std::move(*flags));
  if (!sources) return fail(sources.error());
  const host::Resolution resolution = host::resolve(caller, *sources);
  // It knows of more that is left out.
  const Result<host::Config> config = host::make_config(resolution, default_lifetime(options));

  Configuration found{.home = resolution.home,
                      .target = resolution.target,
                      .notices = config ? config->notices : resolution.notices,
                      .errors = resolution.errors()};
  // Each value can be valid alone, and what is in it not, such as a rule.
  if (!config && found.errors.empty()) found.errors.push_back(config.error().message());
  for (const host::ResolvedSetting& one : resolution.settings) found.settings.push_back(value(one));
  if (config) {  // each value makes sense; whether there is such a target the host knows
    asio::io_context loop(1);
    const host::Host host(caller, *config, backends(loop.get_executor()));
    if (const Result<void> had = host.environments.requirements(); !had) {
      found.errors.push_back(had.error().message());
    }
  }
  return found;
}

}  // namespace talaria
