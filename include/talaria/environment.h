// What is known of an environment: one live instance of a target, which serves one task or many.
// These are a runtime's own, at any target, as env.list of JSON lines has them; what other programs
// left on this machine, as `talaria env list` has it, is in talaria/home.h.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>

namespace talaria {

struct EnvironmentInfo {
  std::string id;
  std::string target;     // "local", ...
  std::string transport;  // how it is reached: "link", "batch" or "plain"
  std::string place;      // which one it is, for people: "container hermes-1a2b3c4d"; may be empty
  bool persistent = false;                         // what is done there is kept when it is removed
  std::set<std::string> tasks;                     // that have used it; only so many are listed
  std::chrono::system_clock::time_point last_use;  // when a call last began or ended there
  std::size_t calls = 0;                           // that are under way there
};

// What removing an environment is to end. What is meant to outlast it (a container in persist mode
// with what runs in its background, a session's state, an overlay) stays, unless told otherwise.
struct Removal {
  bool everything = false;
  bool unless_busy = false;  // refused (denied) while processes run in its background
  std::string place;         // not empty: refused (denied) if that is not where it is now
};

struct EnvironmentTotals {
  std::size_t count = 0;
  std::set<std::string> tasks;                  // whose environments they are
  std::map<std::string, std::string> workdirs;  // where their sessions were last, by task
  double disk_mb = 0;                           // of directories on this machine that they keep
};

}  // namespace talaria
