// What a sandbox at Daytona is to be.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/secret.h"
#include "environment/environment.h"
#include "environment/long_work.h"

namespace talaria::environment::daytona {

// Of its image's files a sandbox may have no more, whatever one pays.
inline constexpr std::int64_t kDaytonaMostDiskGib = 10;

struct DaytonaAccess {
  std::string url;           // of the API: "https://app.daytona.io/api"
  Secret key;                // the account's
  std::string ca_file = {};  // see TlsTrust
};

struct DaytonaOptions {
  DaytonaAccess access;
  std::string home;        // ours: where it is written down which sandboxes there are
  std::string task;        // the environment's id
  bool existing = false;   // fails with not_found if it would have to be made
  std::string place = {};  // of an existing one: the sandbox that is meant; empty: the task's
  std::string image;
  std::string region = {};  // where it is to run; empty: as the account says
  double cpu = 0;           // 0: what the service gives, here and below
  std::int64_t memory_mb = 0;
  std::int64_t disk_mb = 0;
  bool says_disk = false;  // somebody asked for that much, and wants to know if it is less
  bool persistent = true;  // stopped at its end, and started again; else deleted
  bool batches = false;    // see CarrierOptions
  bool plain = false;      // see CarriedTarget
  std::chrono::seconds lifetime{0};  // of an idle runner there
  LoginFiles login = {};
  Progress progress = {};
};

}  // namespace talaria::environment::daytona
