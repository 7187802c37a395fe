#include "host/home_policy.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "base/text.h"

namespace talaria::host {
namespace {

bool is_there(const std::string& directory) {
  std::error_code ignored;
  return !directory.empty() && std::filesystem::is_directory(directory, ignored);
}

// HOME may already be the agent's: then the person's is what an earlier one of us said it was, or
// what the system knows.
std::string real_home(const Caller& caller, const std::string& profile_home) {
  if (const auto said = caller.variable("HERMES_REAL_HOME"); said && !said->empty()) {
    return std::string(*said);
  }
  std::string home = caller.home_directory();
  return home == profile_home ? caller.account_home() : home;
}

}  // namespace

HomeMode parse_home_mode(std::string_view name) {
  if (name == "real") return HomeMode::real;
  return name == "profile" ? HomeMode::profile : HomeMode::automatic;
}

Homes choose_home(const Caller& caller, const HomePolicy& policy) {
  Homes homes{.home = caller.home_directory(), .real = real_home(caller, policy.profile_home)};
  const bool has_profile = is_there(policy.profile_home);
  switch (policy.mode) {
    case HomeMode::real:
      homes.home = homes.real;
      break;
    case HomeMode::profile:
      homes.home = has_profile ? policy.profile_home : homes.real;
      break;
    case HomeMode::automatic:
      if (caller.in_container && has_profile) {
        homes.home = policy.profile_home;
      } else if (homes.home == policy.profile_home) {
        homes.home = homes.real;
      }
      break;
  }
  return homes;
}

}  // namespace talaria::host
