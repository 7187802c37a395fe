// Caller: what the process was started with, its variables and its directory. main reads it once
// and hands it down, so that nothing else asks the process and a test can say what it likes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::host {

struct Caller {
  std::vector<std::string> variables;  // as NAME=value
  std::optional<std::string> cwd;      // absent if the directory was deleted under us
  std::optional<std::uint32_t> umask;
  bool in_container = false;

  static Caller of_this_process();

  std::optional<std::string_view> variable(std::string_view name) const;

  // The name of the user; the number if there is none.
  std::string user() const;

  // The person's own directory ($HOME, else account_home()).
  std::string home_directory() const;
  // What the system knows; "/" if it knows none.
  std::string account_home() const;

  // `path` as an absolute one: "~" and "~/x" below home_directory(), "x" below cwd.
  std::string absolute(std::string_view path) const;
};

}  // namespace talaria::host
