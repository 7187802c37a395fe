// LiveExec: an exec that has not ended, or whose end somebody still has to be told.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/cancel.h"
#include "base/event.h"
#include "environment/environment.h"
#include "host/store/sandbox_store.h"

namespace talaria::sandboxes {

struct LiveExec {
  host::StoredExec stored;
  CancelToken cancel;                                     // until it has started
  std::shared_ptr<environment::Environment> starting;     // where it is being started
  std::shared_ptr<environment::Environment> environment;  // once it has
  bool kill_asked = false;
  bool early = false;  // its end is asked for already; it may come before the answer to its start
  std::optional<Result<ProcessInfo>> early_end;
  AsyncEvent changed;  // something above has

  const ExecInfo& info() const { return stored.info; }
  bool ended() const { return has_ended(stored.info.state); }
};

}  // namespace talaria::sandboxes
