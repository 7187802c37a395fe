#include <talaria/home.h>
#include <talaria/runtime.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include <boost/json/array.hpp>

#include "base/text.h"
#include "front/cli/env_front.h"
#include "front/cli/report.h"

namespace talaria::front::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view kYes = "yes";
constexpr const char* kModal = "modal";

bool says_yes(const Stdio& stdio, const std::string& question) {
  write_fully(stdio.err, question + " [y/N] ");
  std::string answer;
  for (char character = 0; ::read(stdio.in, &character, 1) == 1 && character != '\n';) {
    if (answer.size() <= kYes.size()) answer += character;  // longer is no in any case
  }
  answer = lower_case(answer);
  return answer == kYes || answer == kYes.substr(0, 1);
}

// An environment that may be removed.
struct Removable {
  std::string id;
  std::string what;  // its name for people
  std::string with;  // what is lost with it
  json::object facts;
  std::function<Result<void>()> remove;
};

Result<void> remove_place(const KnownPlace& place, bool force) {
  if (place.in_use && !force) {
    return fail(
        ErrorKind::denied,
        "the " + place.place + " is used by another program just now; wait, or use --force");
  }
  auto runtime = Runtime::make({.settings = {{"TERMINAL_ENV", place.target, "env remove"},
                                             {"HERMES_PROFILE", place.profile, "env remove"}}});
  if (!runtime) return fail(runtime.error());
  const auto removed = runtime->remove_environment(
      place.id, {.everything = true, .unless_busy = !force, .place = place.place});
  // A sandbox that has ended by itself: what is left are its files.
  const bool over = !removed && removed.error().kind() == ErrorKind::not_found;
  if (over && place.target == kModal) return Home().forget_snapshot(place.id);
  return removed;
}

Removable of_place(const KnownPlace& place, bool force) {
  return {.id = place.id,
          .what = place.place + " of " + place.target,
          .with = "all that runs in it and is not kept",
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

// Nothing if it may be done.
std::optional<Error> not_allowed(const std::string& what, const std::string& with,
                                 const EnvRemoveOptions& options, const Stdio& stdio) {
  if (options.yes) return std::nullopt;
  if (options.json || ::isatty(stdio.in) != 1 || ::isatty(stdio.err) != 1) {
    return Error(ErrorKind::denied,
                 "removing " + what + " forgets " + with + "; say --yes if that is meant");
  }
  if (says_yes(stdio, "Remove " + what + " with " + with + "?")) return std::nullopt;
  return Error(ErrorKind::interrupted, "nothing was removed");
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
      not_allowed("'" + found->id + "' (" + found->what + ")", found->with, options, stdio);
  if (refused) return report_error(*refused, options.json, stdio);
  if (const auto removed = found->remove(); !removed) {
    return report_error(removed.error(), options.json, stdio);
  }
  return options.json ? report_line(found->facts, stdio) : report_text(removed_text(*found), stdio);
}

// One after the other; what cannot be removed is told, and the rest still goes.
int remove_all(const EnvRemoveOptions& options, const Stdio& stdio) {
  const Home home;
  std::vector<Removable> all;
  for (const KnownPlace& place : home.places()) all.push_back(of_place(place, options.force));
  for (const RunnerEntry& entry : home.runners()) all.push_back(of_runner(entry, options.force));
  if (!all.empty()) {
    const auto refused = not_allowed(counted(all.size(), "environment"),
                                     "their sessions and all that runs in them", options, stdio);
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
  const bool whole = left.empty();
  const std::size_t count = removed.size();
  int said = 0;
  if (options.json) {
    said = report_line(
        {{"count", count}, {"removed", std::move(removed)}, {"left", std::move(left)}}, stdio);
  } else if (all.empty()) {
    said = report_text("There is no environment.\n", stdio);
  }
  return whole ? said : kFailed;
}

}  // namespace

int env_remove_front(const EnvRemoveOptions& options, const Stdio& stdio) {
  return options.all ? remove_all(options, stdio) : remove_one(options, stdio);
}

}  // namespace talaria::front::cli
