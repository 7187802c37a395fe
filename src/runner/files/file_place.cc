#include "runner/files/file_place.h"

#include <fcntl.h>

#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "link/limits.h"
#include "os/file.h"

namespace talaria::runner {
namespace {

namespace fs = std::filesystem;

ErrorKind kind_of(int code) {
  switch (code) {
    case ENOENT:
      return ErrorKind::not_found;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorKind::denied;
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case EINVAL:
      return ErrorKind::bad_request;
    default:
      return ErrorKind::system;
  }
}

Result<void> make_directories(const std::string& path, mode_t mode,
                              std::vector<std::string>* made) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    const bool is_new = ::mkdir(part.c_str(), mode) == 0;
    if (!is_new && errno != EEXIST && slash == std::string::npos) {
      return fail(file_error(part, errno));
    }
    if (is_new && made != nullptr) made->push_back(part);
    if (slash == std::string::npos) return {};
  }
}

Result<FilePlace> place_of(const std::string& path) {
  const fs::path whole(path);
  if (!whole.has_filename()) return fail(ErrorKind::bad_request, path + ": is a directory");
  auto directory = os::open_file(whole.parent_path(), O_RDONLY | O_DIRECTORY);
  if (!directory) return fail(file_error(path, directory.error().code()));
  return FilePlace{{std::move(*directory), whole.filename()}, path};
}

// What it is, if it is not a regular file.
const char* kind_text(const FilePlace& place) {
  struct stat info{};
  (void)::fstatat(place.at.directory.get(), place.at.name.c_str(), &info, AT_SYMLINK_NOFOLLOW);
  switch (info.st_mode & S_IFMT) {
    case S_IFDIR:
      return "a directory";
    case S_IFLNK:
      return "a link";
    case S_IFIFO:
      return "a pipe";
    case S_IFSOCK:
      return "a socket";
    default:
      return "a device";
  }
}

}  // namespace

Error file_error(const Error& error) {
  return error.code() == 0 ? error : Error(kind_of(error.code()), error.message(), error.code());
}

Error file_error(const std::string& path, int code) {
  return Error(kind_of(code), sanitize_utf8(path) + ": " + std::strerror(code), code);
}

Result<std::string> absolute_path(const std::string& home, const std::string& path) {
  if (path.contains('\0')) {
    return fail(ErrorKind::bad_request, "a file's name cannot contain a NUL byte");
  }
  const bool at_home = path == "~" || path.starts_with("~/");
  std::string whole = at_home ? home + path.substr(1) : path;
  if (!whole.starts_with('/')) {
    return fail(ErrorKind::bad_request,
                "'" + sanitize_utf8(path) + "' is not an absolute path and does not begin with ~/");
  }
  if (whole.size() >= link::kMaxPath) return fail(file_error(whole, ENAMETOOLONG));
  return whole;
}

Result<std::string> real_path(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the kernel has it
  std::error_code error;
  fs::path real = path;
  for (int i = 0; i < kMostLinks; ++i) {
    real = fs::weakly_canonical(real, error);
    if (error) return fail(file_error(path, error.value()));
    if (!fs::is_symlink(real, error)) {
      if (!real.has_filename() && real != real.root_path()) real = real.parent_path();
      return real.string();
    }
    const fs::path target = fs::read_symlink(real, error);  // which leads to nothing, as yet
    if (error) return fail(file_error(path, error.value()));
    real = real.parent_path() / target;
  }
  return fail(file_error(path, ELOOP));
}

Result<FilePlace> find_place(const std::string& home, const FileAddress& address, bool follow,
                             std::optional<std::uint32_t> parents, std::vector<std::string>* made) {
  auto path = absolute_path(home, address.below.empty() ? address.path : address.below);
  if (!path) return fail(path.error());
  if (parents) {
    const fs::path first = *path;
    const auto done = make_directories(address.below.empty() ? first.parent_path() : first,
                                       static_cast<mode_t>(*parents & 0777), made);
    if (!done) return fail(done.error());
  }
  if (!address.below.empty()) {
    auto at = os::find_below(*path, address.path, parents);
    if (!at) return fail(file_error(at.error()));
    return FilePlace{std::move(*at), *path + "/" + address.path};
  }
  if (std::error_code error; follow && fs::is_symlink(*path, error)) {
    auto real = real_path(*path);
    if (!real) return fail(real.error());
    *path = std::move(*real);
  }
  return place_of(*path);
}

Result<os::UniqueFd> open_to_read(const FilePlace& place) {
  const auto facts = os::file_facts(place.at.directory.get(), place.at.name);
  if (!facts) return fail(file_error(place.path, errno));
  if (facts->kind != os::FileKind::file) {
    return fail(ErrorKind::bad_request,
                sanitize_utf8(place.path) + " is " + kind_text(place) + ", not a file");
  }
  auto file = os::open_regular_file(place.at.directory.get(), place.at.name);
  if (!file) return fail(file_error(file.error()));
  return file;
}

Result<os::UniqueFd> open_directory(const std::string& home, const FileAddress& address) {
  const auto path = absolute_path(home, address.below.empty() ? address.path : address.below);
  if (!path) return fail(path.error());
  if (address.below.empty() || address.path.empty()) {
    auto directory = os::open_file(*path, O_RDONLY | O_DIRECTORY);
    if (!directory) return fail(file_error(*path, directory.error().code()));
    return directory;
  }
  const auto at = os::find_below(*path, address.path);
  if (!at) return fail(file_error(at.error()));
  auto directory =
      os::open_file_at(at->directory.get(), at->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) return fail(file_error(*path + "/" + address.path, directory.error().code()));
  return directory;
}

}  // namespace talaria::runner
