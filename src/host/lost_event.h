// The end of a process that was lost with its runner.
#pragma once

#include <talaria/event.h>
#include <talaria/process.h>

#include <chrono>
#include <string>

#include "host/store/process_store.h"

namespace talaria::host {

inline ProcessEvent lost_event(const StoredProcess& process) {
  return {.type = EventType::completion,
          .process = process.id,
          .task = process.task,
          .session_key = process.session_key,
          .target = process.target,
          .command = process.command,
          .time = std::chrono::system_clock::now(),
          .announced = true,
          .ended = ProcessEnd::lost,
          .exit_code = kLostCode,
          .source = std::string(kLostSource)};
}

}  // namespace talaria::host
