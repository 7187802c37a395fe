// EnvironmentSpec: what a backend needs to know about the environment that is wanted, whatever kind
// of target it serves. Beside it a backend takes its own part of the configuration
// (target_config.h).
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/gate.h"
#include "environment/environment.h"
#include "environment/long_work.h"
#include "environment/session_record.h"
#include "environment/target_config.h"

namespace talaria::environment {

struct EnvironmentSpec {
  std::string target = {};          // as in TERMINAL_ENV: "docker" or "podman"
  std::string task = "default";     // the id of the environment, by which it is found again
  std::string runner = "local";     // of target local: which one, below <home>/talaria/run
  std::string pool = {};            // not empty: made for this pool, and for no task yet
  bool existing = false;            // fails with not_found if it would have to be made
  std::string place = {};           // of an existing one: which, if the task has several
  std::string home = {};            // Talaria writes only below <home>/talaria
  std::string home_mark = {};       // see home_mark.h
  std::string sandbox_dir = {};     // where directories of containers are on this machine
  std::string profile = "default";  // whose containers they are
  std::string cwd = {};             // where a new session starts
  ContainerConfig container = {};
  bool batches = false;               // see CarrierConfig
  bool plain = false;                 // likewise
  std::chrono::seconds timeout{180};  // default time limit of a command
  std::chrono::seconds lifetime{0};   // of an idle runner at the target
  LoginFiles login = {};
  std::vector<BoundPath> mounts = {};     // shared files that a container shows
  bool has_credential_files = false;      // there are some that commands need
  std::vector<std::string> notices = {};  // of the configuration; shown when something is made
  Progress progress = {};                 // reports work that takes long
  std::shared_ptr<Gate> gate = {};        // limits how many ask an engine at the same time
  std::shared_ptr<SessionRecord> sessions = {};  // that outlives the program; null: there is none
};

}  // namespace talaria::environment
