#include "host/home_policy.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "base/text.h"

namespace talaria::host {
namespace {

struct ModeWord {
  std::string_view word;
  HomeMode mode;
};

constexpr auto kModeWords = std::to_array<ModeWord>({{"auto", HomeMode::automatic},
                                                     {"real", HomeMode::real},
                                                     {"host", HomeMode::real},
                                                     {"user", HomeMode::real},
                                                     {"real_home", HomeMode::real},
                                                     {"real-home", HomeMode::real},
                                                     {"profile", HomeMode::profile},
                                                     {"isolated", HomeMode::profile},
                                                     {"profile_home", HomeMode::profile},
                                                     {"profile-home", HomeMode::profile}});

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

std::optional<HomeMode> parse_home_mode(std::string_view word) {
  const std::string lower = lower_case(trim(word));
  const auto found = std::ranges::find(kModeWords, lower, &ModeWord::word);
  if (found == kModeWords.end()) return std::nullopt;
  return found->mode;
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
