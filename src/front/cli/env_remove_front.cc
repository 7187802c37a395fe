#include <talaria/home.h>
#include <talaria/runtime.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include <boost/json/array.hpp>

#include "base/text.h"
#include "front/cli/fronts.h"
#include "front/cli/report.h"

namespace talaria::front::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view kYes = "yes";
constexpr const char* kModal = "modal";

bool confirm(const Stdio& stdio, const std::string& question) {
  write_fully(stdio.err, question + " [y/N] ");
  std::string answer;
  for (char character = 0; ::read(stdio.in, &character, 1) == 1 && character != '\n';) {
    if (answer.size() <= kYes.size()) answer += character;  // a longer answer is not "yes"
  }
  answer = lower_case(answer);
  return answer == kYes || answer == kYes.substr(0, 1);
}

struct Removable {
  std::string id;
  std::string what;  // for people
  std::string with;  // what is removed with it
  json::object facts;
  std::function<Result<void>()> remove;
};

Result<void> remove_place(const KnownPlace& place, bool force) {
  if (place.in_use && !force) {
    return fail(ErrorKind::denied, "another program uses the " + place.place +
                                       " now; wait until it has ended, or use --force");
  }
  auto runtime = Runtime::make({.settings = {{"TERMINAL_ENV", place.target, "env rm"},
                                             {"HERMES_PROFILE", place.profile, "env rm"}}});
  if (!runtime) return fail(runtime.error());
  const auto removed = runtime->remove_environment(
      place.id, {.everything = true, .unless_busy = !force, .place = place.place});
  // A sandbox that ended by itself: only its files are left.
  const bool ended = !removed && removed.error().kind() == ErrorKind::not_found;
  if (ended && place.target == kModal) return Home().forget_snapshot(place.id);
  return removed;
}

Removable of_place(const KnownPlace& place, bool force) {
  return {.id = place.id,
          .what = place.place + " of " + place.target,
          .with = "everything in it that is not persistent",
          .facts = {{"removed", place.id}, {"place", place.place}},
          .remove = [place, force] { return remove_place(place, force); }};
}

Removable of_runner(const RunnerEntry& entry, bool force) {
  const std::size_t sessions = entry.sessions.size();
  return {.id = entry.id,
          .what = entry.directory,
          .with = counted(sessions, "session"),
          .facts = {{"removed", entry.id}, {"sessions", sessions}},
          .remove = [id = entry.id, force] { return Home().remove_runner(id, force); }};
}

Removable of_snapshot(const std::string& id, const std::string& image) {
  const std::string place = "snapshot " + image;
  return {.id = id,
          .what = place + " of " + kModal,
          .with = "the files in it",
          .facts = {{"removed", id}, {"place", place}},
          .remove = [id] { return Home().forget_snapshot(id); }};
}

// Nothing if the user agrees.
std::optional<Error> check_consent(const std::string& what, const std::string& with,
                                   const EnvRemoveOptions& options, const Stdio& stdio) {
  if (options.yes) return std::nullopt;
  if (options.json || ::isatty(stdio.in) != 1 || ::isatty(stdio.err) != 1) {
    return Error(ErrorKind::denied,
                 "standard input is not a terminal, so nothing was removed. Use --yes to remove " +
                     what + " with " + with);
  }
  if (confirm(stdio, "Remove " + what + " with " + with + "?")) return std::nullopt;
  return Error(ErrorKind::interrupted, "not confirmed; nothing was removed");
}

std::string removed_text(const Removable& one) {
  const bool is_place = one.facts.contains("place");
  return "removed " + one.id + (is_place ? ": " + one.what : " with " + one.with) + "\n";
}

Result<Removable> find(const EnvRemoveOptions& options) {
  const Home home;
  const Result<RunnerEntry> entry = home.runner(options.id);
  if (entry) return of_runner(*entry, options.force);
  const std::vector<KnownPlace> places = home.places();
  const auto place = std::ranges::find(places, options.id, &KnownPlace::id);
  if (place != places.end()) return of_place(*place, options.force);
  if (const auto image = home.snapshot(options.id)) return of_snapshot(options.id, *image);
  return fail(entry.error());
}

int remove_one(const EnvRemoveOptions& options, const Stdio& stdio) {
  const Result<Removable> found = find(options);
  if (!found) return report_error(found.error(), options.json, stdio);
  const auto refused =
      check_consent("'" + found->id + "' (" + found->what + ")", found->with, options, stdio);
  if (refused) return report_error(*refused, options.json, stdio);
  if (const auto removed = found->remove(); !removed) {
    return report_error(removed.error(), options.json, stdio);
  }
  return options.json ? report_line(found->facts, stdio) : report_text(removed_text(*found), stdio);
}

// An environment that cannot be removed is reported; the others are still removed.
int remove_all(const EnvRemoveOptions& options, const Stdio& stdio) {
  const Home home;
  std::vector<Removable> all;
  for (const KnownPlace& place : home.places()) all.push_back(of_place(place, options.force));
  for (const RunnerEntry& entry : home.runners()) all.push_back(of_runner(entry, options.force));
  if (!all.empty()) {
    const auto refused = check_consent(counted(all.size(), "environment"),
                                       "all sessions and processes", options, stdio);
    if (refused) return report_error(*refused, options.json, stdio);
  }
  json::array removed, left;
  for (const Removable& one : all) {
    if (const auto done = one.remove(); !done) {
      left.push_back(json::object{{"id", one.id}, {"error", done.error().message()}});
      if (!options.json) complain(stdio, one.id + ": " + done.error().message());
      continue;
    }
    removed.push_back(one.facts);
    if (!options.json && report_text(removed_text(one), stdio) != 0) return kFailed;
  }
  const bool complete = left.empty();
  const std::size_t count = removed.size();
  int code = 0;
  if (options.json) {
    code = report_line(
        {{"count", count}, {"removed", std::move(removed)}, {"left", std::move(left)}}, stdio);
  } else if (all.empty()) {
    code = report_text("No environments.\n", stdio);
  }
  return complete ? code : kFailed;
}

}  // namespace

int run_command(const EnvRemoveOptions& options, const Stdio& stdio) {
  return options.all ? remove_all(options, stdio) : remove_one(options, stdio);
}

}  // namespace talaria::front::cli
