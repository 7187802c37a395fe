// HOME of a command. An agent may keep a home of its own (<home>/home) beside the person's: in a
// container that is where tools should put their things, on a person's machine it is not.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/caller.h"

namespace talaria::host {

enum class HomeMode {
  automatic,  // the agent's in a container if it is there, else the person's
  real,       // the person's
  profile,    // the agent's if it is there
};

// TERMINAL_HOME_MODE: "auto", "real" or "profile".
HomeMode parse_home_mode(std::string_view name);

struct HomePolicy {
  HomeMode mode = HomeMode::automatic;
  std::string profile_home;  // the agent's
};

struct Homes {
  std::string home;
  std::string real;  // the person's; commands find it in HERMES_REAL_HOME
};

Homes choose_home(const Caller& caller, const HomePolicy& policy);

}  // namespace talaria::host
