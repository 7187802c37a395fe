// LocateFile and ChangeFiles: answered at once.
#include <dirent.h>
#include <pwd.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "link/edit_messages.h"
#include "runner/files/file_changes.h"
#include "runner/files/file_entry.h"
#include "runner/files/file_place.h"
#include "runner/limits.h"
#include "runner/request/file_requests.h"

namespace talaria {
namespace {

namespace fs = std::filesystem;

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

std::vector<std::string> names_in(const std::string& directory, std::size_t most) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), ::closedir);
  if (!open) return names;
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() == most) break;
    names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

bool is_directory(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

Result<Begun> begin_locate_file(const RequestContext& context, std::string_view body) {
  const auto wanted = decode<LocateFile>(body);
  if (!wanted) return fail(wanted.error());
  const auto place = context.supervisor.place_of(wanted->session);
  if (!place) return fail(place.error());
  const std::string own_home = wanted->home.empty() ? context.supervisor.home() : wanted->home;
  LocateFileReport report{.home = place->home.value_or(own_home), .umask = place->umask};
  const std::string directory =
      with_home(place->directory.empty() ? wanted->first_cwd : place->directory, report.home);
  const std::string path = with_home(wanted->path, report.home);
  report.directory = directory.starts_with('/') ? directory : report.home;
  const auto whole =
      absolute_path(report.home, path.starts_with('/') ? path : report.directory + "/" + path);
  if (!whole) return fail(whole.error());
  const auto real = real_path(*whole);
  if (!real) return fail(real.error());
  fs::path normal = fs::path(*whole).lexically_normal();
  if (!normal.has_filename() && normal != normal.root_path()) normal = normal.parent_path();
  report.path = normal.string();
  report.real = *real;
  struct stat info{};
  const std::string parent = fs::path(report.real).parent_path();
  report.has_parent = is_directory(parent);
  if (::stat(report.real.c_str(), &info) == 0) {
    report.found = true;
    report.entry = entry_of(report.real, facts_of(info));
    report.device = info.st_dev;
    report.inode = info.st_ino;
  } else if (errno != ENOENT && errno != ENOTDIR) {
    return fail(file_error(report.real, errno));
  } else if (wanted->neighbours > 0) {
    report.neighbours =
        names_in(parent, std::min<std::uint64_t>(wanted->neighbours, kMaxNeighbours));
  }
  return encode(report);
}

Result<Begun> begin_change_files(const RequestContext& context, std::string_view body) {
  const auto changes = decode<ChangeFiles>(body);
  if (!changes) return fail(changes.error());
  const auto report = context.supervisor.file_changes().apply(
      context.supervisor.home(), context.supervisor.uploads(), *changes);
  if (!report) return fail(report.error());
  return encode(*report);
}

}  // namespace talaria
