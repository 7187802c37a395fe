#include "runner/request/session_path.h"

#include <pwd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "runner/files/file_place.h"

namespace talaria::runner {
namespace {

// From the file itself: the runner is static and cannot ask the system's other sources.
std::optional<std::string> home_of(const std::string& user) {
  const std::unique_ptr<FILE, int (*)(FILE*)> accounts(std::fopen("/etc/passwd", "re"),
                                                       std::fclose);
  if (!accounts) return std::nullopt;
  while (const passwd* account = ::fgetpwent(accounts.get())) {
    if (user == account->pw_name) return std::string(account->pw_dir);
  }
  return std::nullopt;
}

// Only "~" at the start means anything; nothing behind it is evaluated.
std::string with_home(const std::string& path, const std::string& home) {
  if (!path.starts_with('~')) return path;
  const std::size_t slash = std::min(path.find('/'), path.size());
  if (slash == 1) return home + path.substr(slash);
  const auto other = home_of(path.substr(1, slash - 1));
  return other ? *other + path.substr(slash) : path;  // as a shell has it: a name like any other
}

}  // namespace

Result<SessionPath> session_path(RunnerParts& parts, const link::LocateFile& wanted) {
  const auto place = parts.sessions().place_of(wanted.session);
  if (!place) return fail(place.error());
  const std::string own_home = wanted.home.empty() ? parts.home() : wanted.home;
  SessionPath meant{.home = place->home.value_or(own_home), .umask = place->umask};
  const std::string directory =
      with_home(place->directory.empty() ? wanted.first_cwd : place->directory, meant.home);
  meant.directory = directory.starts_with('/') ? directory : meant.home;
  const std::string path = with_home(wanted.path, meant.home);
  const auto whole =
      absolute_path(meant.home, path.starts_with('/') ? path : meant.directory + "/" + path);
  if (!whole) return fail(whole.error());
  meant.path = *whole;
  return meant;
}

}  // namespace talaria::runner
