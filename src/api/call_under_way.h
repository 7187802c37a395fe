// CallUnderWay: a call from its start to its end, given up when its Cancel says so, or the runtime.
#pragma once

#include <list>
#include <memory>

#include "api/cancel_watch.h"
#include "api/core.h"

namespace talaria {

class CallUnderWay {
 public:
  CallUnderWay(std::shared_ptr<AsioRuntime::Core> core, const Cancel& cancel);
  CallUnderWay(const CallUnderWay&) = delete;
  CallUnderWay& operator=(const CallUnderWay&) = delete;
  ~CallUnderWay();

  CancelToken token() const { return *place_; }

 private:
  std::shared_ptr<AsioRuntime::Core> core_;
  std::list<CancelToken>::iterator place_;
  CancelWatch watch_;
};

}  // namespace talaria
