#include "api/asio_settings.h"

#include <algorithm>
#include <array>

#include "api/core.h"
#include "host/approval_queue.h"
#include "host/config/resolve.h"
#include "host/config/setting_table.h"
#include "json/json_text.h"

namespace talaria {
namespace {

namespace json = boost::json;

// What is read when the program starts, and no more.
constexpr auto kReadAtStart = std::to_array<std::string_view>(
    {"TALARIA_AUDIT", "audit.max_mb", "audit.keep", "TERMINAL_LOCAL_RUNNERS",
     "terminal.env_passthrough", "terminal.credential_files", "skills.external_dirs",
     "TERMINAL_POOL_SIZE", "HERMES_PROFILE", "TERMINAL_LIFETIME_SECONDS", "TERMINAL_HOME_MODE"});

Error setting_error(std::string message) {
  return {ErrorReason::setting, ErrorKind::bad_request, std::move(message)};
}

Result<const host::Setting*> find_setting(std::string_view name) {
  const auto known = std::ranges::find_if(host::all_settings(), [&](const host::Setting& one) {
    return one.name() == name || one.is_variable(name) || one.is_key(name);
  });
  if (known != host::all_settings().end()) return &*known;
  return fail(setting_error("unknown setting '" + std::string(name) +
                            "'; `talaria config --all` lists the settings"));
}

std::optional<std::string> text_of(const json::value& value) {
  if (value.is_null()) return std::nullopt;
  return value.is_string() ? std::string(value.get_string()) : to_line(value);
}

}  // namespace

Result<AsioSettings::Changed> AsioSettings::set(const json::object& settings) {
  if (const auto allowed = host::refuse_commands(); !allowed) return fail(allowed.error());
  Changed changed;
  std::vector<host::Settings::Change> changes;
  for (const auto& one : settings) {
    const auto found = find_setting(one.key());
    if (!found) return fail(found.error());
    const host::Setting& setting = **found;
    if (setting.details.environment_only) {
      return fail(setting_error(std::string(setting.name()) +
                                " cannot change while the program runs; start another"));
    }
    changes.push_back(
        {.setting = setting.name(),
         .value = text_of(one.value()),
         .of_environment = !setting.details.targets.empty() || setting.name() == "TERMINAL_ENV"});
    const bool at_start = std::ranges::find(kReadAtStart, setting.name()) != kReadAtStart.end() ||
                          setting.name().starts_with("TALARIA_GATEWAY_");
    if (at_start) {
      changed.later.emplace_back(one.key(), "it is read when the program starts");
    } else {
      changed.applied.emplace_back(one.key());
    }
  }
  if (const auto done = core_->host().settings.change(changes); !done) return fail(done.error());
  return changed;
}

Result<json::object> AsioSettings::get(const std::vector<std::string>& names) const {
  const host::Settings& settings = core_->host().settings;
  const Result<host::Config>& config = settings.config();
  if (!config) return fail(config.error());
  if (!config->sources) return json::object();
  const host::Resolution found = host::resolve(settings.caller(), *config->sources);
  json::object values;
  for (const host::ResolvedSetting& one : found.settings) {
    if (names.empty()) values[one.setting->name()] = one.shown_value();
  }
  for (const std::string& name : names) {
    const auto known = find_setting(name);
    if (!known) return fail(known.error());
    values[name] = found.of((*known)->name()).shown_value();
  }
  return values;
}

}  // namespace talaria
