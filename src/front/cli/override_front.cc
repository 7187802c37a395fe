#include <talaria/home.h>

#include "front/cli/fronts.h"
#include "front/cli/report.h"
#include "front/cli/table.h"

namespace talaria::front::cli {
namespace {

boost::json::object overrides_json(const std::string& task, const StoredOverrides& now) {
  boost::json::object overrides;
  for (const auto& [key, value] : now) overrides[key] = value;
  return {{"task", task}, {"overrides", std::move(overrides)}};
}

}  // namespace

int run_command(const EnvOverrideOptions& options, const Stdio& stdio) {
  const Home home;
  if (options.clear || !options.overrides.empty()) {
    const auto stored = home.store_overrides(options.task, options.overrides);
    if (!stored) return report_error(stored.error(), options.json, stdio);
  }
  const Result<StoredOverrides> now = home.overrides(options.task);
  if (!now) return report_error(now.error(), options.json, stdio);
  if (options.json) return report_line(overrides_json(options.task, *now), stdio);
  if (now->empty()) {
    return report_text(
        options.clear ? "The task has no overrides now.\n" : "The task has no overrides.\n", stdio);
  }
  Table table({"OVERRIDE", "VALUE"});
  for (const auto& [key, value] : *now) table.add({key, value});
  return report_text(table.drawn(style_for(stdio.out)), stdio);
}

}  // namespace talaria::front::cli
