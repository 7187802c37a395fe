// Checks whether Talaria works on this machine.
#pragma once

#include <talaria/export.h>

#include <string>
#include <string_view>
#include <vector>

namespace talaria {

enum class Verdict { ok, warn, fail };

// "ok", "warn", "fail".
TALARIA_API std::string_view verdict_name(Verdict verdict);

struct Finding {
  Verdict verdict = Verdict::ok;
  std::string check = {};   // what was checked
  std::string found = {};   // the result
  std::string advice = {};  // what to do; may be empty
};

// A file below <home>/talaria that is no longer needed.
struct StaleFile {
  std::string path = {};
  std::string what = {};
};

// Something at the configured target that Talaria or upstream Hermes created and that is no longer
// needed, such as a container that ended.
struct Orphan {
  std::string what = {};
  std::string why = {};
  bool removed = false;
  std::string trouble = {};  // why it could not be removed
};

struct Examination {
  std::vector<Finding> findings = {};
  std::vector<StaleFile> leftovers = {};  // or, after `reap`, those that could not be removed
  std::vector<Orphan> orphans = {};
};

struct ExaminationOptions {
  bool reap = false;     // remove leftovers and orphans; nothing else is changed
  bool running = false;  // also orphans that run: containers that were not used for long
  bool dry_run = false;  // only look for what `reap` would remove
};

// Creates <home>/talaria if needed, and starts and ends a runner as a test. Blocks, with an event
// loop of its own. Ignore SIGPIPE.
TALARIA_API Examination examine(const ExaminationOptions& options = {});

}  // namespace talaria
