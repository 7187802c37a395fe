// What a sandbox of an account at Modal is to be.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "environment/environment.h"
#include "environment/long_work.h"
#include "environment/modal/credentials.h"

namespace talaria::environment::modal {

struct ModalOptions {
  std::string target = "modal";
  ModalAccount account;
  std::string home;       // ours: leases, and <home>/modal_snapshots.json
  std::string task;       // the environment's id
  bool existing = false;  // none is made: not_found if there is none
  std::string image;      // see modal_image.h
  double cpu = 0;         // 0: as Modal likes, here and below
  std::int64_t memory_mb = 0;
  std::int64_t disk_mb = 0;
  bool persistent = true;                 // its files are kept by a snapshot when it ends
  std::chrono::seconds life{3600};        // of a sandbox, whatever goes on in it
  std::chrono::seconds lifetime{0};       // of an idle runner there
  bool plain = false;                     // without a runner, though there might be one
  std::vector<std::string> notices = {};  // of the configuration, for whoever has a sandbox made
  LoginFiles login = {};
  Progress progress = {};
};

}  // namespace talaria::environment::modal
