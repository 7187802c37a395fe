// Interrupt: ends what is under way before its time. Calls of gRPC are cancelled, sleepers wake up;
// what begins afterwards ends at once. For any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>

#include "os/unique_fd.h"

namespace grpc {
class ClientContext;
}

namespace talaria::modal {

class Interrupt {
 public:
  Interrupt();

  void trigger();
  bool triggered() const { return triggered_; }

  // Readable once it is triggered.
  int fd() const { return event_.get(); }

  // False if it was cut short.
  bool sleep(std::chrono::milliseconds time);
  // Until there is something to read, or the end. Likewise.
  bool wait_for_input(int fd) const;

  // A call that is cancelled by the trigger, as long as this lives. The context must outlive it.
  class Call {
   public:
    Call(Interrupt& interrupt, grpc::ClientContext& context);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call();

   private:
    Interrupt& interrupt_;
    grpc::ClientContext& context_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  std::atomic<bool> triggered_ = false;
  std::set<grpc::ClientContext*> calls_;
  os::UniqueFd event_;
};

}  // namespace talaria::modal
