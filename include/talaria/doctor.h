// Whether Talaria can work on this machine, and what stands in the way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

// A file below <home>/talaria that nobody needs any more.
struct StaleFile {
  std::string path;
  std::string what;
};

struct Examination {
  std::vector<Finding> findings;
  std::vector<StaleFile> leftovers;  // or, after `reap`, those that could not be removed
};

// Makes <home>/talaria if it is not there, and starts and ends a runner of its own for a trial.
// With `reap` it removes leftovers; nothing else is changed. Waits until it is done, on an event
// loop of its own. Ignore SIGPIPE.
Examination examine(bool reap = false);

}  // namespace talaria
