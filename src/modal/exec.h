// One command in a sandbox, with its streams bound to descriptors of ours.
#pragma once

#include <string>
#include <vector>

#include "base/exit_status.h"
#include "modal/call_result.h"
#include "modal/interrupt.h"
#include "modal/router.h"

namespace talaria::modal {

struct Streams {
  int in;
  int out;
  int err;
};

// Bytes go both ways at once, as soon as they are there, and no faster than they are taken. Broken
// connections are made good by offsets; the command is started once.
//
// Returns when the command ended and both its outputs came to their end, on a failure, and when
// `interrupt` is triggered. Threads of it may be left that wait for a reader, a writer or the
// service: the process is to end without further ado then (std::_Exit).
CallResult<ExitStatus> run_exec(Router& router, const std::vector<std::string>& command,
                                const Streams& streams, Interrupt& interrupt);

}  // namespace talaria::modal
