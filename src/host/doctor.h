// Whether Talaria can work here, and what stands in the way.
#pragma once

#include <talaria/doctor.h>

#include "base/result.h"
#include "base/task.h"
#include "host/caller.h"

namespace talaria::host {

// examine() of the public interface, for a caller. `requirements`: the Host's, which knows the
// targets.
Task<Examination> examine(const Caller& caller, Result<void> requirements, bool reap);

}  // namespace talaria::host
