// Whether Talaria can work here, and what stands in the way.
#pragma once

#include <talaria/doctor.h>

#include "base/result.h"
#include "base/task.h"
#include "host/caller.h"

namespace talaria::host {

// examine() of the public interface, for a caller. What is wrong comes first. `target`: whether it
// can be reached.
Task<Examination> examine(const Caller& caller, Result<void> target, bool reap);

}  // namespace talaria::host
