#include "front/cli/env_text.h"
#include "front/cli/fronts.h"
#include "front/cli/report.h"

namespace talaria::front::cli {

int run_command(const EnvListOptions& options, const Stdio& stdio) {
  const Home home;
  const std::vector<RunnerEntry> entries = home.runners();
  const std::vector<KnownPlace> places = home.places();
  const EnvironmentTotals totals = home.totals(entries, places);
  if (options.json) return report_line(env_list_json(entries, places, totals), stdio);
  return report_text(env_list_text(entries, places, totals, style_for(stdio.out)), stdio);
}

int run_command(const EnvShowOptions& options, const Stdio& stdio) {
  const Result<RunnerEntry> entry = Home().runner(options.id);
  if (!entry) return report_error(entry.error(), options.json, stdio);
  if (options.json) return report_line(env_json(*entry), stdio);
  return report_text(env_text(*entry, style_for(stdio.out)), stdio);
}

int run_command(const StopOptions& options, const Stdio& stdio) {
  const std::vector<StoppedRunner> all = Home().stop_runners(options.force);
  bool done = true;
  for (const StoppedRunner& one : all) {
    if (!one.refused) continue;
    done = false;
    if (!options.json) complain(stdio, one.id + ": " + one.refused->message());
  }
  const int code =
      options.json ? report_line(stopped_json(all), stdio) : report_text(stopped_text(all), stdio);
  return done ? code : kFailed;
}

}  // namespace talaria::front::cli
