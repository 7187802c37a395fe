// A runner's directory that carries on where another one of the same task stopped: containers of a
// task come one after the other and share a home.
#pragma once

#include "rendezvous/runner_place.h"

namespace talaria::rendezvous {

// If the directory is not there, and is called run-TASK-PLACE, becomes what the newest directory
// run-TASK-* beside it was, unless a runner lives there: sessions, journals and all.
void inherit_directory(const RunnerPlace& place);

}  // namespace talaria::rendezvous
