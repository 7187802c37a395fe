#include "modal/router.h"

#include <thread>
#include <utility>

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <modal_client.grpc.pb.h>

#include "modal/ask.h"
#include "modal/sandboxes.h"

namespace talaria::modal {
namespace {

constexpr std::chrono::seconds kLasted{30};

}  // namespace

// The two questions are asked at once: what the link waits for is the sum of such waits.
CallResult<std::unique_ptr<Router>> Router::open(ControlPlane& plane, const std::string& sandbox,
                                                 const Patience& patience) {
  std::unique_ptr<Router> router(new Router(plane, sandbox));
  CallResult<std::string> task;
  std::thread finder([&] { task = await_task(plane, sandbox, patience); });
  auto access = router->renew(0, patience);
  finder.join();
  if (!task) return failed(task.error());
  // A sandbox that had no task yet may have had no router either.
  if (!access && access.error().kind == ErrorKind::not_found) access = router->renew(0, patience);
  if (!access) return failed(access.error());
  router->task_ = std::move(*task);
  return router;
}

CallResult<void> Router::renew(std::uint64_t old, const Patience& patience) {
  const std::lock_guard lock(mutex_);
  if (access_ != old) return {};
  ::modal::client::SandboxGetCommandRouterAccessRequest request;
  request.set_sandbox_id(sandbox_);
  const auto answer =
      ask(plane_, "SandboxGetCommandRouterAccess",
          &::modal::client::ModalClient::Stub::SandboxGetCommandRouterAccess, request, patience);
  if (!answer) return failed(answer.error());
  report().keep_secret(answer->jwt());
  Result<Address> address = parse_router_address(answer->url(), plane_.account().server);
  if (!address) {
    return failed(
        {ErrorKind::unavailable, "SandboxGetCommandRouterAccess", "", address.error().message()});
  }
  token_ = Secret(answer->jwt());
  if (!channel_ || *address != address_) channel_ = open_channel(*address);
  address_ = std::move(*address);
  ++access_;
  return {};
}

std::uint64_t Router::authorize(grpc::ClientContext& context) {
  const std::lock_guard lock(mutex_);
  context.AddMetadata("authorization", "Bearer " + std::string(token_.view()));
  return access_;
}

std::shared_ptr<grpc::ChannelInterface> Router::channel() {
  const std::lock_guard lock(mutex_);
  return channel_;
}

CallResult<void> Router::call(std::string_view name, const Patience& patience,
                              const Attempt& attempt, RetryRules rules) {
  Repetition repetition(*this, name, patience, rules);
  for (;;) {
    grpc::ClientContext context;
    repetition.begin(context);
    grpc::Status status;
    {
      const Interrupt::Call cancelled(patience.interrupt, context);
      status = attempt(context);
    }
    if (status.ok()) return {};
    if (auto failure = repetition.after(status)) return failed(std::move(*failure));
  }
}

void Router::Repetition::begin(grpc::ClientContext& context) {
  begun_ = Clock::now();
  access_ = router_.authorize(context);
  limit_attempt(context, patience_);
}

std::optional<CallFailure> Router::Repetition::after(const grpc::Status& status) {
  const auto give_up = [&] { return failure_of(name_, status, patience_); };
  if (patience_.interrupt.triggered()) return give_up();
  if (Clock::now() - begun_ >= kLasted) progressed();
  if (status.error_code() == status::kUnauthenticated && !renewed_) {
    renewed_ = true;
    const auto access = router_.renew(access_, patience_);
    if (!access) return access.error();
    return std::nullopt;
  }
  const auto delay = retries_.next(status.error_code());
  if (!delay || Clock::now() + *delay >= patience_.deadline) return give_up();
  if (!patience_.interrupt.sleep(*delay)) return give_up();
  renewed_ = false;
  return std::nullopt;
}

void Router::Repetition::progressed() {
  retries_.progressed();
  renewed_ = false;
}

}  // namespace talaria::modal
