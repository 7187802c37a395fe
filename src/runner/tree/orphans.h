// The runner is a subreaper: when a reaper is killed, the processes it watched over become children
// of the runner.
#pragma once

namespace talaria::runner {

// Ends them. The reapers of a nursery that was killed are children of the runner, too; they run our
// own program and are left alone.
void end_orphans();

}  // namespace talaria::runner
