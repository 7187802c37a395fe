// Router: the service beside one sandbox, which runs commands in it. The access to it is lent by
// the control plane for a while; when it is refused, we ask for it anew, once for each call.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/secret.h"
#include "modal/call_result.h"
#include "modal/channel.h"
#include "modal/control_plane.h"
#include "modal/retries.h"

namespace talaria::modal {

class Router {
 public:
  // Finds the task of the sandbox, which may still be on its way, and the access.
  static CallResult<std::unique_ptr<Router>> open(ControlPlane& plane, const std::string& sandbox,
                                                  const Patience& patience);

  const std::string& task() const { return task_; }
  Report& report() { return plane_.report(); }

  CallResult<void> call(std::string_view name, const Patience& patience, const Attempt& attempt,
                        RetryRules rules = kRouterRules);
  std::shared_ptr<grpc::ChannelInterface> channel();

  // A call and its repetitions, for who makes the attempts himself: `begin` each of them, then ask
  // whether to go on.
  class Repetition {
   public:
    Repetition(Router& router, std::string_view name, const Patience& patience, RetryRules rules)
        : router_(router), name_(name), patience_(patience), retries_(rules) {}

    void begin(grpc::ClientContext& context);
    // Nothing: once more. It has waited, and got a new access if the old one was refused. An
    // attempt that lasted for a while had succeeded: a silent stream may break
    // each hour.
    std::optional<CallFailure> after(const grpc::Status& status);
    // Something came: earlier failures are forgotten.
    void progressed();

   private:
    Router& router_;
    std::string_view name_;
    Patience patience_;
    Retries retries_;
    Clock::time_point begun_;
    std::uint64_t access_ = 0;  // which one was used
    bool renewed_ = false;
  };

 private:
  Router(ControlPlane& plane, std::string sandbox) : plane_(plane), sandbox_(std::move(sandbox)) {}

  // A new one, unless another thread has got one since `old`.
  CallResult<void> renew(std::uint64_t old, const Patience& patience);
  std::uint64_t authorize(grpc::ClientContext& context);

  ControlPlane& plane_;
  std::string sandbox_;
  std::string task_;
  std::mutex mutex_;
  std::uint64_t access_ = 0;  // how many there were
  Secret token_;
  Address address_;
  std::shared_ptr<grpc::ChannelInterface> channel_;
};

}  // namespace talaria::modal
