#include "os/below.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <utility>

#include "base/text.h"
#include "os/file.h"

namespace talaria::os {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

Result<UniqueFd> step_into(int directory, const std::string& name, std::optional<mode_t> make) {
  auto inner = open_file_at(directory, name, kDirectory);
  if (inner || !make || inner.error().code() != ENOENT) return inner;
  if (::mkdirat(directory, name.c_str(), *make) < 0 && errno != EEXIST) {
    return fail(Error::from_errno("mkdir " + name));
  }
  return open_file_at(directory, name, kDirectory);
}

}  // namespace

bool is_path_below(std::string_view path) {
  if (path.empty() || path.contains('\0')) return false;
  while (!path.empty()) {
    const bool more = path.contains('/');
    const std::string_view part = next_word(path, '/');
    if (part.empty() || part == "." || part == ".." || (more && path.empty())) return false;
  }
  return true;
}

Result<PlaceBelow> find_below(const std::string& root, const std::string& path,
                              std::optional<mode_t> parents) {
  if (!is_path_below(path)) {
    return fail(ErrorKind::bad_request,
                "'" + sanitize_utf8(path) + "' is not a path below " + root);
  }
  auto directory = open_file(root, O_RDONLY | O_DIRECTORY);
  if (!directory) return fail(directory.error());
  std::string_view rest = path;
  for (;;) {
    std::string name(next_word(rest, '/'));
    if (rest.empty()) return PlaceBelow{std::move(*directory), std::move(name)};
    auto inner = step_into(directory->get(), name, parents);
    if (!inner) {
      const int code = inner.error().code();
      const bool is_link = code == ELOOP || code == ENOTDIR;
      return fail(Error(is_link ? ErrorKind::denied : ErrorKind::system,
                        root + "/" + sanitize_utf8(path) + ": " +
                            (is_link ? "'" + sanitize_utf8(name) + "' is not a plain directory"
                                     : inner.error().message()),
                        code));
    }
    directory = std::move(inner);
  }
}

Result<UniqueFd> open_file_below(const std::string& root, const std::string& path) {
  const auto place = find_below(root, path);
  if (!place) return fail(place.error());
  return open_regular_file(place->directory.get(), place->name);
}

}  // namespace talaria::os
