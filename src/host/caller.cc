#include "host/caller.h"

#include <pwd.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace talaria {

Caller Caller::of_this_process() {
  Caller caller;
  for (char** entry = environ; entry && *entry; ++entry) caller.variables.emplace_back(*entry);
  std::error_code error;
  const std::filesystem::path cwd = std::filesystem::current_path(error);
  if (!error) caller.cwd = cwd.string();
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

std::string Caller::home_directory() const {
  if (const auto home = variable("HOME"); home && !home->empty()) return std::string(*home);
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

}  // namespace talaria
