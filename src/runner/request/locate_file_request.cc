// LocateFile: where a path of a session leads, and what is there. Answered at once.
#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "link/edit_messages.h"
#include "runner/files/file_place.h"
#include "runner/limits.h"
#include "runner/request/open_request.h"
#include "runner/request/session_path.h"

namespace talaria::runner {
namespace {

namespace fs = std::filesystem;

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

Result<Begun> begin_request(const RequestContext& context, const link::LocateFile& wanted) {
  const auto meant = session_path(context.parts, wanted);
  if (!meant) return fail(meant.error());
  link::LocateFileReport report{
      .directory = meant->directory, .home = meant->home, .umask = meant->umask};
  const std::string& whole = meant->path;
  const auto real = real_path(whole);
  if (!real) return fail(real.error());
  fs::path normal = fs::path(whole).lexically_normal();
  if (!normal.has_filename() && normal != normal.root_path()) normal = normal.parent_path();
  report.path = normal.string();
  report.real = *real;
  struct stat info{};
  const std::string parent = fs::path(report.real).parent_path();
  report.has_parent = is_directory(parent);
  if (::stat(report.real.c_str(), &info) == 0) {
    report.found = true;
    report.entry = entry_of(report.real, os::facts_of(info));
    report.device = info.st_dev;
    report.inode = info.st_ino;
  } else if (errno != ENOENT && errno != ENOTDIR) {
    return fail(file_error(report.real, errno));
  } else if (wanted.neighbours > 0) {
    report.neighbours =
        names_in(parent, std::min<std::uint64_t>(wanted.neighbours, kMaxNeighbours));
  }
  return link::encode(report);
}

}  // namespace talaria::runner
