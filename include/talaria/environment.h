// Environments of a runtime, as env.list of JSON lines shows them. An environment is one live
// instance of a target, which serves one task or many. What other programs left on this machine, as
// `talaria env list` shows it, is in talaria/home.h.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>

namespace talaria {

struct EnvironmentInfo {
  std::string id = {};
  std::string target = {};           // "local", ...
  std::string transport = {};        // how it is reached: "link", "batch" or "plain"
  std::string place = {};            // for people: "container hermes-1a2b3c4d"; may be empty
  bool persistent = false;           // its files survive its removal
  std::set<std::string> tasks = {};  // that have used it; the list is limited
  std::chrono::system_clock::time_point last_use = {};  // when a call last began or ended there
  std::size_t calls = 0;                                // that use it now
};

// How an environment is removed. What is meant to outlast it stays: a container in persist mode
// with its background processes, the state of sessions, an overlay.
struct Removal {
  bool everything = false;   // remove these, too
  bool unless_busy = false;  // refused (denied) while it has background processes
  std::string place = {};    // not empty: refused (denied) if its place is another one
};

struct EnvironmentTotals {
  std::size_t count = 0;
  std::set<std::string> tasks = {};                  // whose environments they are
  std::map<std::string, std::string> workdirs = {};  // where their sessions were last, by task
  double disk_mb = 0;                                // of their directories on this machine
};

// Containers that wait for a task (pool.size), all with the same settings.
struct PoolInfo {
  std::string target = {};
  std::string image = {};
  std::size_t size = 0;     // how many are to wait
  std::size_t waiting = 0;  // how many do
  bool filled = false;      // a program that runs now fills it
};

// The pools that programs of this home fill now, and what this runtime did with its own.
struct PoolTotals {
  std::size_t size = 0;
  std::size_t waiting = 0;
  std::size_t taken = 0;   // by tasks
  std::size_t missed = 0;  // tasks that found none
  std::size_t failed = 0;  // containers that could not be made
};

}  // namespace talaria
