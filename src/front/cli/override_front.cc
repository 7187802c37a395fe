#include "front/cli/override_front.h"

#include "front/cli/report.h"
#include "front/cli/table.h"
#include "host/config/sources.h"
#include "host/override_store.h"

namespace talaria {
namespace {

namespace json = boost::json;

// What is said for the task once the options are done.
Result<json::object> said_now(const std::string& home, const EnvOverrideOptions& options) {
  OverrideStore store(home);
  if (options.clear || !options.said.empty()) {
    json::object said;
    for (const auto& [key, value] : options.said) said[key] = value;
    if (const auto stored = store.set(options.task, said); !stored) return fail(stored.error());
  }
  if (const auto read = store.refresh(); !read) return fail(read.error());
  json::object now;
  const auto found = store.overrides().find(options.task);
  if (found == store.overrides().end()) return now;
  for (const ConfigFlag& flag : found->second.flags) now[flag.flag] = flag.value;
  return now;
}

}  // namespace

int override_front(const Caller& caller, const EnvOverrideOptions& options, const Stdio& stdio) {
  const Result<json::object> now = said_now(config_home(caller), options);
  if (!now) return report_error(now.error(), options.json, stdio);
  if (options.json) {
    return report_line({{"task", options.task}, {"overrides", *now}}, stdio);
  }
  if (now->empty()) return report_text("Nothing is said for the task.\n", stdio);
  Table table({"OVERRIDE", "VALUE"});
  for (const auto& [key, value] : *now) table.add({key, std::string(value.as_string())});
  return report_text(table.drawn(style_for(caller, stdio.out)), stdio);
}

}  // namespace talaria
