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

// Something at the configured target that was made by Talaria or upstream Hermes and is not needed
// any more: a container that ended, for example.
struct Orphan {
  std::string what;
  std::string why;
  bool removed = false;
  std::string trouble;  // why it could not be removed
};

struct Examination {
  std::vector<Finding> findings;
  std::vector<StaleFile> leftovers;  // or, after `reap`, those that could not be removed
  std::vector<Orphan> orphans;
};

struct ExaminationOptions {
  bool reap = false;     // remove leftovers and orphans; nothing else is changed
  bool running = false;  // orphans that run, too: containers that nobody has used for long
  bool dry_run = false;  // only look for what `reap` would remove
};

// Makes <home>/talaria if it is not there, and starts and ends a runner of its own for a trial.
// Waits until it is done, on an event loop of its own. Ignore SIGPIPE.
Examination examine(const ExaminationOptions& options = {});

}  // namespace talaria
