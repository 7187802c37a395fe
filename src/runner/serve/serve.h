// The runner as a program: how it is started, what it keeps in its directory, how it ends.
// RunnerPlace names the files by which it is found; beside them are
//
//   DIR/sessions/  session states
//   DIR/spill/     output of commands
//   DIR/jobs/      what is known of processes in the background (job_journal.h)
//   DIR/prelude/   texts for waiting shells
#pragma once

#include <chrono>

#include "base/result.h"
#include "rendezvous/runner_place.h"

namespace talaria::runner {

struct ServeArguments {
  rendezvous::RunnerPlace place;
  std::chrono::seconds lifetime{0};  // without links and commands, then it ends
};

// DIR and LIFETIME_SECONDS, as they stand on a command line.
Result<ServeArguments> parse_serve_arguments(const char* directory, const char* seconds);

// `talaria-runner serve DIR LIFETIME_SECONDS`: starts the runner detached from its caller and
// returns once it serves. Prints one line (rendezvous/runner_place.h).
int serve_main(int argc, char** argv);

// `talaria-runner supervise DIR LIFETIME_SECONDS`: the detached process itself. Says "ready ..." on
// descriptor 3.
int supervise_main(int argc, char** argv);

}  // namespace talaria::runner
