#include <boost/json/array.hpp>

#include "front/cli/env_text.h"
#include "front/cli/fronts.h"
#include "front/cli/report.h"

namespace talaria::front::cli {

int run_command(const EnvListOptions& options, const Stdio& stdio) {
  const Home home;
  const std::vector<RunnerEntry> entries = home.runners();
  const std::vector<KnownPlace> places = home.places();
  const std::vector<PoolInfo> pools = home.pools();
  const EnvironmentTotals totals = home.totals(entries, places);
  if (options.json) return report_line(env_list_json(entries, places, pools, totals), stdio);
  return report_text(env_list_text(entries, places, pools, totals, style_for(stdio.out)), stdio);
}

int run_command(const EnvShowOptions& options, const Stdio& stdio) {
  const Home home;
  std::vector<KnownPlace> places = home.places();
  std::string known;
  for (const KnownPlace& place : places) {
    known += (known.empty() ? "; at other targets: " : ", ") + place.id + " (" + place.target + ")";
  }
  std::erase_if(places, [&](const KnownPlace& place) { return place.id != options.id; });
  const Result<RunnerEntry> entry = home.runner(options.id);
  if (!entry && places.empty()) {
    const Error unknown(entry.error().kind(), entry.error().message() + known);
    return report_error(unknown, options.json, stdio);
  }
  std::string text = entry ? env_text(*entry, style_for(stdio.out)) : "";
  json::array found;
  if (entry) found.push_back(env_json(*entry));
  for (const KnownPlace& place : places) {
    text += place_text(place);
    found.push_back(place_json(place));
  }
  if (!options.json) return report_text(text, stdio);
  if (found.size() == 1) return report_line(found[0].as_object(), stdio);
  return report_line({{"environments", std::move(found)}}, stdio);
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
