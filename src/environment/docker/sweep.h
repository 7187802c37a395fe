// Removes containers that are no longer needed: they ended, were never started, or were made for
// one program that is gone. The time since the last use decides, not the death of an owner. Running
// containers that are meant to be found again, and running ones of upstream, stay unless
// SweepSpec::running is set.
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
#include "environment/target_config.h"

namespace talaria::environment::docker {

// An error: the engine does not answer.
Task<Result<std::vector<Swept>>> sweep_containers(DockerConfig config, SweepSpec sweep);

// Why it may be removed, for people; nothing if it stays. `lease`: what this machine knows about
// it. `wanted`: a program fills the pool it was made for.
std::optional<std::string> reason_to_remove(const InspectedContainer& container,
                                            const std::optional<KnownLease>& lease,
                                            const SweepSpec& sweep,
                                            std::chrono::system_clock::time_point now,
                                            bool wanted = false);

// "2026-05-30T06:41:51.123456789Z", also with "+02:00". Nothing for other text, and for the year 1,
// which means never.
std::optional<std::chrono::system_clock::time_point> parse_engine_time(std::string_view text);

}  // namespace talaria::environment::docker
