// What a managed environment is made of.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "environment/environment.h"
#include "environment/long_work.h"
#include "environment/managed/gateway_client.h"

namespace talaria::environment::managed {

struct ManagedOptions {
  std::string target = "managed";  // as it was asked for
  GatewayAccess access;
  std::string home;                   // ours: where it is written down which sandboxes there are
  bool has_credential_files = false;  // files of the home that commands are to have
  std::string task;                   // the environment's id
  bool existing = false;              // fails with not_found if it would have to be made
  std::string image;
  std::string cwd;
  std::optional<double> cpu;  // absent: the protocol's default, here and below
  std::optional<std::int64_t> memory_mb;
  std::optional<std::int64_t> disk_mb;
  bool persistent = true;  // its files are kept under the task's name
  std::chrono::seconds timeout{180};
  bool plain = false;                // without a runner, though there might be one
  std::chrono::seconds lifetime{0};  // of an idle runner there
  LoginFiles login = {};
  Progress progress = {};
};

}  // namespace talaria::environment::managed
