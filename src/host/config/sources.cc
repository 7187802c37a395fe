#include "host/config/sources.h"

#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "os/file.h"

namespace talaria::host {
namespace {

Error unreadable(const std::string& reason) {
  return Error(ErrorKind::bad_request, reason + ". Fix the file or move it away.");
}

Error forbidden(const std::string& path) {
  return Error(ErrorKind::bad_request, Error::from_errno("cannot read " + path, EACCES).message() +
                                           ". Make it readable for this user.");
}

// Nothing if there is none.
Result<std::optional<std::string>> read_if_there(const std::string& path) {
  struct stat facts{};
  if (::stat(path.c_str(), &facts) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    if (errno == EACCES) return fail(forbidden(path));
    return fail(unreadable(Error::from_errno(path).message()));
  }
  // A pipe would keep us waiting.
  if (!S_ISREG(facts.st_mode)) return fail(unreadable(path + ": not a regular file"));
  Result<std::string> text = os::read_file(path, kMaxConfigFileBytes);
  if (!text && text.error().code() == EACCES) return fail(forbidden(path));
  if (!text) return fail(unreadable(text.error().message()));
  return std::move(*text);
}

}  // namespace

std::string config_home(const Caller& caller) {
  for (const std::string_view name : {"TALARIA_HOME", "HERMES_HOME"}) {
    const auto path = caller.variable(name);
    if (path && !path->empty()) return caller.absolute(*path);
  }
  return caller.absolute("~/.hermes");
}

Result<ConfigSources> read_sources(const Caller& caller, std::vector<ConfigFlag> flags) {
  ConfigSources sources{.home = config_home(caller), .flags = std::move(flags)};
  const Result<std::optional<std::string>> variables = read_if_there(sources.env_path());
  if (!variables) return fail(variables.error());
  if (*variables) sources.env_file = parse_env_file(**variables);

  const Result<std::optional<std::string>> yaml = read_if_there(sources.yaml_path());
  if (!yaml) return fail(yaml.error());
  if (*yaml) {
    Result<YamlFile> file = parse_yaml_file(**yaml, sources.yaml_path());
    if (!file) return fail(file.error());
    sources.yaml_file = std::move(*file);
  }
  return sources;
}

}  // namespace talaria::host
