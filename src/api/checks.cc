#include "api/checks.h"

#include <filesystem>
#include <utility>

#include "base/limits.h"
#include "base/visible_text.h"
#include "host/caller.h"

namespace talaria {
namespace {

Error option_error(std::string message) {
  return {ErrorReason::option, ErrorKind::bad_request, std::move(message)};
}

Result<void> check_directory(const std::string& path) {
  if (path.empty())
    return fail(option_error("Options::cwd: empty; leave it out for this process's"));
  if (const Result<void> text = check_text("Options::cwd", path); !text) return text;
  std::error_code error;
  const std::string place = host::Caller::of_this_process().absolute(path);
  if (std::filesystem::is_directory(place, error)) return {};
  const std::string why = error ? error.message() : "not a directory";
  return fail(option_error("Options::cwd: '" + visible_text(path) + "': " + why +
                           "; name a directory that exists"));
}

}  // namespace

Result<void> check_text(const std::string& what, std::string_view text) {
  const std::size_t at = text.find('\0');
  if (at == std::string_view::npos) return {};
  return fail(ErrorKind::bad_request, what + ": a NUL byte at offset " + std::to_string(at) +
                                          ", which no shell can be given; write it as an escape");
}

Result<void> check_task(std::string_view task) {
  if (task.size() <= kMaxTaskBytes) return check_text("task", task);
  return fail(ErrorKind::limit, "task: " + std::to_string(task.size()) + " bytes, the limit is " +
                                    std::to_string(kMaxTaskBytes));
}

Result<void> check_variables(const std::vector<std::string>& variables) {
  for (const std::string& variable : variables) {
    if (const Result<void> text = check_text("variables", variable); !text) return text;
    const std::size_t equals = variable.find('=');
    if (equals != 0 && equals != std::string::npos) continue;
    const std::string what = equals == 0 ? "has no name" : "has no '='";
    return fail(option_error("variables: '" + visible_text(variable.substr(0, 64)) + "' " + what +
                             "; expected NAME=value"));
  }
  return {};
}

Result<void> check_options(const Options& options) {
  if (options.home) {
    if (options.home->empty()) return fail(option_error("Options::home: empty; leave it out"));
    if (const Result<void> text = check_text("Options::home", *options.home); !text) return text;
  }
  if (options.cwd) {
    if (const Result<void> directory = check_directory(*options.cwd); !directory) return directory;
  }
  for (const GivenSetting& given : options.settings) {
    if (given.name != "TALARIA_HOME") continue;
    return fail(Error(ErrorReason::setting, ErrorKind::bad_request,
                      "TALARIA_HOME cannot be one of Options::settings, because settings are read "
                      "from there; use Options::home"));
  }
  return check_variables(options.variables);
}

}  // namespace talaria
