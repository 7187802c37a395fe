// Whether Talaria can work here, and what stands in the way.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "host/caller.h"
#include "host/leftovers.h"

namespace talaria {

enum class Verdict { ok, warn, fail };

// "ok", "warn", "fail".
std::string_view verdict_name(Verdict verdict);

struct Finding {
  Verdict verdict = Verdict::ok;
  std::string check;   // what was looked at
  std::string found;   // what was seen
  std::string advice;  // what to do; empty if nothing
};

struct Examination {
  std::vector<Finding> findings;
  std::vector<StaleFile> leftovers;  // or, after `reap`, those that could not be removed
};

// Makes <home>/talaria if it is not there, and starts and ends a runner of its own for a trial.
// With `reap` it removes leftovers; nothing else is changed. `requirements`: the Host's, which
// knows the targets.
Task<Examination> examine(const Caller& caller, Result<void> requirements, bool reap);

}  // namespace talaria
