#include "front/call_queue.h"

#include <utility>

namespace talaria::front {

void CallQueue::add(Call call) {
  if (call.kind == Kind::look && looks_.running < looks_.most && !is_held()) {
    return begin(std::move(call), looks_);
  }
  waiting_bytes_ += call.bytes;
  Lane& lane = call.kind == Kind::read ? reads_ : work_;
  lane.waiting.push_back(std::move(call));
}

void CallQueue::resume() {
  for (Lane* const lane : {&work_, &reads_}) {
    while (!lane->waiting.empty() && lane->running < lane->most && !is_held()) {
      Call call = std::move(lane->waiting.front());
      lane->waiting.pop_front();
      waiting_bytes_ -= call.bytes;
      begin(std::move(call), *lane);
    }
  }
}

void CallQueue::clear() {
  work_.waiting.clear();
  reads_.waiting.clear();
  waiting_bytes_ = 0;
}

void CallQueue::begin(Call call, Lane& lane) {
  ++lane.running;
  start_(run(std::move(call), lane));
}

Task<void> CallQueue::run(Call call, Lane& lane) {
  Task<void> task = call.run();
  co_await std::move(task);
  --lane.running;
  resume();
}

}  // namespace talaria::front
