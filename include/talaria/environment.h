// What is known of an environment: one live instance of a target, which serves one task or many.
// These are a runtime's own, at any target, as env.list of JSON lines has them; what other programs
// left on this machine, as `talaria env list` has it, is in talaria/home.h.
#pragma once

#include <chrono>
#include <set>
#include <string>

namespace talaria {

struct EnvironmentInfo {
  std::string id;
  std::string target;                              // "local", ...
  std::string transport;                           // how it is reached: "link", "batch" or "plain"
  std::set<std::string> tasks;                     // that have used it; only so many are listed
  std::chrono::system_clock::time_point last_use;  // when a call last asked for it
};

}  // namespace talaria
