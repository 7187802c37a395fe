// StartRecord: records where a process is, for other programs. It is written while the runner
// starts the process, so that it costs no time, and removed if it does not start.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "host/journal.h"

namespace talaria::tool {

class StartRecord {
 public:
  // All of it outlives the note. `process` says whose it is, what it runs, and in which
  // environment.
  StartRecord(host::Journal& journal, environment::Environment& environment,
              host::StoredProcess process)
      : journal_(journal), environment_(environment), process_(std::move(process)) {}

  void sent(const std::string& id);
  Task<Result<void>> started(std::string id);
  void not_started();  // which is certain
  void failed();

 private:
  host::Journal& journal_;
  environment::Environment& environment_;
  host::StoredProcess process_;
  bool written_ = false;
};

}  // namespace talaria::tool
