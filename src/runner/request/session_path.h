// What a path means to a command of a session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "link/edit_messages.h"
#include "runner/runner_parts.h"

namespace talaria::runner {

struct SessionPath {
  std::string path;       // absolute
  std::string directory;  // of the session
  std::string home;
  std::optional<std::uint32_t> umask;  // of the session, if it has one
};

Result<SessionPath> session_path(RunnerParts& parts, const link::LocateFile& wanted);

}  // namespace talaria::runner
