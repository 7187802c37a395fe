#include "host/shared/credential_files.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/text.h"
#include "os/below.h"

namespace talaria::host {
namespace {

namespace fs = std::filesystem;

Error refused(std::string_view path, ErrorKind kind, const std::string& why) {
  return Error(kind, "credential file '" + sanitize_utf8(path) + "' " + why);
}

Result<CredentialFile> look_at(const std::string& home, std::string_view path) {
  const fs::path written(path);
  if (path.empty() || path.contains('\0')) {
    return fail(refused(path, ErrorKind::bad_request, "is not a path"));
  }
  if (written.is_absolute()) {
    return fail(refused(path, ErrorKind::denied, "is absolute; name it by its path below " + home));
  }
  const auto leads_out = [&] {
    return fail(refused(path, ErrorKind::denied, "leads out of " + home));
  };
  std::string at_target = written.lexically_normal();
  if (!os::is_path_below(at_target)) return leads_out();
  std::error_code error;
  const fs::path root = fs::weakly_canonical(home, error);
  const fs::path real = error ? fs::path() : fs::weakly_canonical(root / written, error);
  if (error) {
    return fail(refused(path, ErrorKind::denied, "cannot be found: " + error.message()));
  }
  const std::string inside = real.lexically_relative(root);
  if (!os::is_path_below(inside)) return leads_out();
  const fs::file_status status = fs::symlink_status(real, error);
  if (!fs::exists(status)) {
    return fail(refused(path, ErrorKind::not_found, "does not exist below " + home));
  }
  if (!fs::is_regular_file(status)) {
    return fail(refused(path, ErrorKind::denied,
                        fs::is_directory(status) ? "is a directory" : "is not a regular file"));
  }
  return CredentialFile{.path = std::move(at_target), .inside = inside};
}

}  // namespace

std::vector<std::string> credential_paths(const json::array& entries,
                                          std::vector<std::string>& flaws) {
  std::vector<std::string> paths;
  for (const json::value& entry : entries) {
    const json::value* path = &entry;
    if (const json::object* object = entry.if_object()) {
      path = object->if_contains("path");
      if (!path) path = object->if_contains("name");
    }
    const std::string_view text = path && path->is_string() ? trim(path->get_string()) : "";
    if (text.empty()) {
      flaws.push_back("a credential file is a text, or an object with `path` or `name`, not " +
                      json::serialize(entry));
    } else {
      paths.emplace_back(text);
    }
  }
  return paths;
}

CredentialFiles::CredentialFiles(std::string home, const std::vector<std::string>& configured)
    : home_(std::move(home)) {
  for (const std::string& path : configured) {
    paths_.emplace(fs::path(path).lexically_normal(), path);
  }
}

Result<void> CredentialFiles::add(std::string_view path) {
  path = trim(path);
  const Result<CredentialFile> file = look_at(home_, path);
  if (!file) return fail(file.error());
  paths_.insert_or_assign(file->path, std::string(path));
  return {};
}

CredentialFiles::Found CredentialFiles::find() const {
  Found found;
  for (const auto& [at_target, path] : paths_) {
    Result<CredentialFile> file = look_at(home_, path);
    if (file) {
      found.files.push_back(std::move(*file));
    } else {
      found.notices.push_back(file.error().message() + "; it is left out");
    }
  }
  return found;
}

}  // namespace talaria::host
