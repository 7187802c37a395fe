#include "front/cli/env_front.h"

#include <talaria/runtime.h>
#include <unistd.h>

#include <algorithm>

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

// What would go: its name, and what is lost with it.
struct Loss {
  std::string what;
  std::string with;
};

// Nothing if it may go.
std::optional<Error> not_allowed(const Loss& loss, const EnvRemoveOptions& options,
                                 const Stdio& stdio) {
  if (options.yes) return std::nullopt;
  if (options.json || ::isatty(stdio.in) != 1 || ::isatty(stdio.err) != 1) {
    return Error(ErrorKind::denied, "removing '" + options.id + "' forgets " + loss.with +
                                        "; say --yes if that is meant");
  }
  if (says_yes(stdio, "Remove " + loss.what + " with " + loss.with + "?")) return std::nullopt;
  return Error(ErrorKind::interrupted, "nothing was removed");
}

// One that was made at another target.
int remove_place(const KnownPlace& place, const EnvRemoveOptions& options, const Stdio& stdio) {
  const Loss loss{place.place + " of " + place.target, "all that runs in it and is not kept"};
  if (const auto refused = not_allowed(loss, options, stdio)) {
    return report_error(*refused, options.json, stdio);
  }
  if (place.in_use && !options.force) {
    return report_error(Error(ErrorKind::denied, "the " + place.place +
                                                     " is used by another program just now; wait, "
                                                     "or use --force"),
                        options.json, stdio);
  }
  auto runtime = Runtime::make({.settings = {{"TERMINAL_ENV", place.target, "env remove"},
                                             {"HERMES_PROFILE", place.profile, "env remove"}}});
  if (!runtime) return report_error(runtime.error(), options.json, stdio);
  const auto removed = runtime->remove_environment(options.id, {.everything = true});
  if (!removed) return report_error(removed.error(), options.json, stdio);
  if (options.json) return report_line({{"removed", options.id}, {"place", place.place}}, stdio);
  return report_text("removed " + options.id + ": " + place.place + "\n", stdio);
}

}  // namespace

int env_list_front(const EnvListOptions& options, const Stdio& stdio) {
  const Home home;
  const std::vector<RunnerEntry> entries = home.runners();
  const std::vector<KnownPlace> places = home.places();
  if (options.json) return report_line(env_list_json(entries, places), stdio);
  return report_text(env_list_text(entries, places, style_for(stdio.out)), stdio);
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
  if (!entry) {
    const std::vector<KnownPlace> places = home.places();
    const auto place = std::ranges::find(places, options.id, &KnownPlace::id);
    if (place != places.end()) return remove_place(*place, options, stdio);
    return report_error(entry.error(), options.json, stdio);
  }
  const Loss loss{entry->directory, counted(entry->sessions.size(), "session")};
  if (const auto refused = not_allowed(loss, options, stdio)) {
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
