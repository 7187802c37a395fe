// Sends a process its input, over a link.
#pragma once

#include <memory>
#include <string>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/input_source.h"
#include "link/driver.h"

namespace talaria::environment {

struct ProcessInput {
  std::string process;
  std::string data;
  bool end = false;  // close the input after it and after `more`
  // The runner knows the pieces of one writer by their position in `data` and writes none twice.
  // Empty: the caller that started the process.
  std::string writer = {};
  std::shared_ptr<InputSource> more = nullptr;
};

// Sends it inside requests, piece by piece: a batch cannot bring credit back while it is being
// written. True: all of it was taken. False: the process takes no more input.
Task<Result<bool>> send_input(std::shared_ptr<link::LinkDriver> driver, ProcessInput input,
                              CancelToken cancel = {});

// For the start of a process, once the runner has said that it exists: a Write on its own could
// overtake a long Start. May be called again for the same process; what was written before is not
// written again. A process that cannot be given all of it is killed, because no other call would
// send the rest.
Task<void> send_input_or_kill(std::shared_ptr<link::LinkDriver> driver, ProcessInput input);

}  // namespace talaria::environment
