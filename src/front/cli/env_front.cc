#include "front/cli/env_front.h"

#include <unistd.h>

#include "base/text.h"
#include "front/cli/env_text.h"
#include "front/cli/report.h"

namespace talaria {
namespace {

constexpr std::string_view kYes = "yes";

bool says_yes(const Stdio& stdio, const std::string& question) {
  write_fully(stdio.err, question + " [y/N] ");
  std::string answer;
  for (char character = 0; ::read(stdio.in, &character, 1) == 1 && character != '\n';) {
    if (answer.size() <= kYes.size()) answer += character;  // longer is no in any case
  }
  answer = lower_case(answer);
  return answer == kYes || answer == kYes.substr(0, 1);
}

// Nothing if it may go.
std::optional<Error> not_allowed(const RunnerEntry& entry, const EnvRemoveOptions& options,
                                 const Stdio& stdio) {
  if (options.yes) return std::nullopt;
  if (options.json || ::isatty(stdio.in) != 1 || ::isatty(stdio.err) != 1) {
    return Error(ErrorKind::denied, "removing '" + entry.id + "' forgets " +
                                        counted(entry.sessions.size(), "session") +
                                        "; say --yes if that is meant");
  }
  if (says_yes(stdio, "Remove " + entry.directory + " with " +
                          counted(entry.sessions.size(), "session") + "?")) {
    return std::nullopt;
  }
  return Error(ErrorKind::interrupted, "nothing was removed");
}

}  // namespace

int env_list_front(const EnvListOptions& options, const Stdio& stdio) {
  const std::vector<RunnerEntry> entries = Home().runners();
  if (options.json) return report_line(env_list_json(entries), stdio);
  return report_text(env_list_text(entries, style_for(stdio.out)), stdio);
}

int env_show_front(const EnvShowOptions& options, const Stdio& stdio) {
  const Result<RunnerEntry> entry = Home().runner(options.id);
  if (!entry) return report_error(entry.error(), options.json, stdio);
  if (options.json) return report_line(env_json(*entry), stdio);
  return report_text(env_text(*entry, style_for(stdio.out)), stdio);
}

int env_remove_front(const EnvRemoveOptions& options, const Stdio& stdio) {
  const Home home;
  const Result<RunnerEntry> entry = home.runner(options.id);
  if (!entry) return report_error(entry.error(), options.json, stdio);
  if (const auto refused = not_allowed(*entry, options, stdio)) {
    return report_error(*refused, options.json, stdio);
  }
  const Result<void> removed = home.remove_runner(options.id, options.force);
  if (!removed) return report_error(removed.error(), options.json, stdio);
  const std::size_t sessions = entry->sessions.size();
  if (options.json) {
    return report_line({{"removed", options.id}, {"sessions", sessions}}, stdio);
  }
  return report_text("removed " + options.id + " with " + counted(sessions, "session") + "\n",
                     stdio);
}

int stop_front(const StopOptions& options, const Stdio& stdio) {
  const std::vector<StoppedRunner> all = Home().stop_runners(options.force);
  bool done = true;
  for (const StoppedRunner& one : all) {
    if (!one.refused) continue;
    done = false;
    if (!options.json) complain(stdio, one.id + ": " + one.refused->message());
  }
  const int said =
      options.json ? report_line(stopped_json(all), stdio) : report_text(stopped_text(all), stdio);
  return done ? said : kFailed;
}

}  // namespace talaria
