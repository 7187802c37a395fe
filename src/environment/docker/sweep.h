// Containers that nobody needs any more: they ended, or were never started, or were made for one
// program that is gone. Time since the last use decides, never the death of an owner. Containers
// that run and are meant to be found again, and those of upstream that run, are left alone unless
// that is asked for.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "environment/docker/engine.h"
#include "environment/lease.h"
#include "environment/swept.h"

namespace talaria::environment::docker {

struct ContainerSweep {
  std::string target = "docker";
  std::string binary;
  std::string home;
  std::string profile;
  std::chrono::seconds max_age{600};
  bool running = false;  // also those that run and are meant to be found again
  bool dry_run = false;  // only say so
};

// An error: the engine cannot be asked.
Task<Result<std::vector<Swept>>> sweep_containers(ContainerSweep sweep);

// Why it may go, for people; nothing if it stays. `lease`: what is known of it on this machine.
std::optional<std::string> reason_to_remove(const InspectedContainer& container,
                                            const std::optional<KnownLease>& lease,
                                            const ContainerSweep& sweep,
                                            std::chrono::system_clock::time_point now);

// "2026-05-30T06:41:51.123456789Z", also with "+02:00". Nothing for what is no time and for the
// year 1, which means never.
std::optional<std::chrono::system_clock::time_point> parse_engine_time(std::string_view text);

}  // namespace talaria::environment::docker
