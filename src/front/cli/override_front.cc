#include "front/cli/override_front.h"

#include <talaria/home.h>

#include "front/cli/report.h"
#include "front/cli/table.h"

namespace talaria::front::cli {
namespace {

// What is said for the task once the options are done.
Result<StoredOverrides> said_now(const EnvOverrideOptions& options) {
  const Home home;
  if (options.clear || !options.said.empty()) {
    const auto stored = home.store_overrides(options.task, options.said);
    if (!stored) return fail(stored.error());
  }
  return home.overrides(options.task);
}

boost::json::object for_programs(const std::string& task, const StoredOverrides& now) {
  boost::json::object overrides;
  for (const auto& [key, value] : now) overrides[key] = value;
  return {{"task", task}, {"overrides", std::move(overrides)}};
}

}  // namespace

int override_front(const EnvOverrideOptions& options, const Stdio& stdio) {
  const Result<StoredOverrides> now = said_now(options);
  if (!now) return report_error(now.error(), options.json, stdio);
  if (options.json) return report_line(for_programs(options.task, *now), stdio);
  if (now->empty()) return report_text("Nothing is said for the task.\n", stdio);
  Table table({"OVERRIDE", "VALUE"});
  for (const auto& [key, value] : *now) table.add({key, value});
  return report_text(table.drawn(style_for(stdio.out)), stdio);
}

}  // namespace talaria::front::cli
