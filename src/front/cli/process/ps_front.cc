#include <algorithm>

#include <boost/json/array.hpp>

#include "front/cli/fronts.h"
#include "front/cli/process/process_text.h"
#include "front/cli/report.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

// Running processes by start time, then ended ones, the most recent first.
void sort_for_people(std::vector<ProcessInfo>& processes) {
  std::ranges::sort(processes, [](const ProcessInfo& a, const ProcessInfo& b) {
    if (a.running != b.running) return a.running;
    return a.running ? a.started < b.started : a.finished > b.finished;
  });
}

int report_json(const ProcessList& list, const Stdio& stdio) {
  json::array processes;
  json::array away;
  for (const ProcessInfo& info : list.processes) processes.push_back(process_json(info));
  for (const Error& error : list.away) away.emplace_back(error.message());
  json::object line{{"processes", std::move(processes)}};
  if (!away.empty()) line["away"] = std::move(away);
  return report_line(line, stdio);
}

}  // namespace

Task<int> run_command(AsioRuntime& runtime, PsOptions options, Stdio stdio) {
  if (const auto sound = runtime.check(); !sound) {
    co_return report_error(sound.error(), options.json, stdio);
  }
  auto list = co_await AsioProcesses(runtime).list();
  if (!list) co_return report_error(list.error(), options.json, stdio);
  std::erase_if(list->processes, [&](const ProcessInfo& info) {
    return !options.target.empty() && info.target != options.target;
  });
  const std::size_t all = list->processes.size();
  if (!options.all) {
    std::erase_if(list->processes, [](const ProcessInfo& info) { return !info.running; });
  }
  sort_for_people(list->processes);
  if (options.json) co_return report_json(*list, stdio);
  for (const Error& error : list->away) complain(stdio, error.message());
  if (!list->processes.empty()) {
    co_return report_text(process_table(list->processes, style_for(stdio.out)), stdio);
  }
  // A target that does not answer may have running processes; it was named above.
  if (!list->away.empty()) co_return 0;
  const std::string ended =
      all == 0 ? "" : " Use --all to list those that have ended (" + std::to_string(all) + ").";
  co_return report_text("No process is running." + ended + "\n", stdio);
}

}  // namespace talaria::front::cli
