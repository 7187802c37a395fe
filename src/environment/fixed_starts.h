// FixedStarts: processes whose callers choose their ids and write them down first, so that they can
// ask again after a crash: where one of that id was started before, none is started again.
//
// Such a process begins with the environment it is given and no login, like `bash -c`. Its
// stdin_data, if it has some, is written again from where it was, too.
#pragma once

#include <string>

#include "environment/processes.h"

namespace talaria::environment {

class FixedStarts {
 public:
  virtual ~FixedStarts() = default;

  virtual Task<Result<StartedProcess>> start_as(std::string id, CommandSpec command,
                                                ProcessSpec spec, CancelToken cancel) = 0;
};

// Null: these cannot (there is no runner).
inline FixedStarts* fixed_starts(Processes& processes) {
  return dynamic_cast<FixedStarts*>(&processes);
}

}  // namespace talaria::environment
