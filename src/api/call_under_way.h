// CallUnderWay: a call from its start to its end. Its token is cancelled by the caller's Cancel, or
// when the runtime ends.
#pragma once

#include <list>
#include <memory>
#include <type_traits>
#include <utility>

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

// Runs the Task that `work` returns for a token. The core and what `work` captured live until it
// ends.
template <class Work>
std::invoke_result_t<Work, CancelToken> run_call(std::shared_ptr<AsioRuntime::Core> core,
                                                 Cancel cancel, Work work) {
  const CallUnderWay call(std::move(core), cancel);
  co_return co_await work(call.token());
}

}  // namespace talaria
