#include "host/caller.h"

#include <pwd.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "os/own_process.h"

namespace talaria::host {
namespace {

// As a shell says it: by the name it was reached by ($PWD) if that is still true.
std::optional<std::string> working_directory(const Caller& caller) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error) return std::nullopt;
  const auto name = caller.variable("PWD");
  if (name && name->starts_with('/') && std::filesystem::equivalent(*name, here, error)) {
    return std::string(*name);
  }
  return here.string();
}

}  // namespace

Caller Caller::of_this_process() {
  Caller caller;
  for (char** entry = environ; entry && *entry; ++entry) caller.variables.emplace_back(*entry);
  caller.cwd = working_directory(caller);
  caller.umask = os::own_umask();
  caller.in_container = ::access("/.dockerenv", F_OK) == 0 ||
                        ::access("/run/.containerenv", F_OK) == 0 ||
                        !caller.variable("container").value_or("").empty();
  return caller;
}

std::optional<std::string_view> Caller::variable(std::string_view name) const {
  for (const std::string_view entry : variables) {
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name)) {
      return entry.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

std::string Caller::user() const {
  for (const char* name : {"USER", "LOGNAME"}) {
    if (const auto said = variable(name); said && !said->empty()) return std::string(*said);
  }
  return std::to_string(::getuid());
}

std::string Caller::home_directory() const {
  if (const auto home = variable("HOME"); home && !home->empty()) return std::string(*home);
  return account_home();
}

std::string Caller::account_home() const {
  const passwd* entry = ::getpwuid(::getuid());
  return entry && entry->pw_dir ? entry->pw_dir : "/";
}

std::string Caller::absolute(std::string_view path) const {
  if (path == "~") return home_directory();
  if (path.starts_with("~/")) return home_directory() + std::string(path.substr(1));
  if (path.starts_with("/")) return std::string(path);
  const std::string base = cwd.value_or(home_directory());
  return base.ends_with("/") ? base + std::string(path) : base + "/" + std::string(path);
}

}  // namespace talaria::host
