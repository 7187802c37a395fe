// ProcessNote: tells the store where a process is that is being started, for programs that come
// later. That is written down while the runner is still at work on the start, so that nobody waits
// for it, and taken back if nothing comes of the start.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "host/host.h"

namespace talaria::tool {

class ProcessNote {
 public:
  // All of it outlives the note. `process` says whose it is and what it runs.
  ProcessNote(host::Host& host, const std::string& task, environment::Environment& environment,
              host::StoredProcess process)
      : host_(host), task_(task), environment_(environment), process_(std::move(process)) {}

  void sent(const std::string& id);
  Result<void> started(const std::string& id);
  void failed();

 private:
  Result<void> write();

  host::Host& host_;
  const std::string& task_;
  environment::Environment& environment_;
  host::StoredProcess process_;
  bool written_ = false;
};

}  // namespace talaria::tool
