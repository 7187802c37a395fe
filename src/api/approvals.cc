#include <talaria/approvals.h>

#include <utility>

#include "api/asio_approvals.h"
#include "api/runtime_loop.h"
#include "base/result.h"

namespace talaria {
namespace {

using Queued = std::vector<QueuedApproval>;

}  // namespace

Result<Queued> Approvals::list(bool all) {
  return loop_->ask<Queued>(
      [all](AsioRuntime& runtime) { return AsioApprovals(runtime).list(all); });
}

void Approvals::list(bool all, std::function<void(Result<Queued>)> done) {
  loop_->start<Queued>(
      [all](AsioRuntime& runtime) { return answered<Queued>(AsioApprovals(runtime).list(all)); },
      std::move(done));
}

Result<QueuedApproval> Approvals::answer(const std::string& id, Answer answer, AnswerWidth width,
                                         std::chrono::seconds lasts) {
  return loop_->wait<QueuedApproval>("answer()", [&](AsioRuntime& runtime) {
    return AsioApprovals(runtime).answer(id, answer_of(answer, width, lasts));
  });
}

void Approvals::answer(const std::string& id, ApprovalAnswer answer,
                       std::function<void(Result<QueuedApproval>)> done) {
  loop_->start<QueuedApproval>(
      [id, answer = std::move(answer)](AsioRuntime& runtime) mutable {
        return AsioApprovals(runtime).answer(id, std::move(answer));
      },
      std::move(done));
}

Result<std::size_t> Approvals::resolve(const std::string& session_key, Answer answer, bool all) {
  return loop_->ask<std::size_t>([&](AsioRuntime& runtime) -> Result<std::size_t> {
    return AsioApprovals(runtime).resolve(session_key, answer_of(answer), all);
  });
}

Result<void> Approvals::set_yolo(const std::string& session_key, bool on) {
  return loop_->ask<void>(
      [&](AsioRuntime& runtime) { return AsioApprovals(runtime).set_yolo(session_key, on); });
}

Result<void> Approvals::clear_session(const std::string& session_key) {
  return loop_->ask<void>([&](AsioRuntime& runtime) {
    AsioApprovals(runtime).clear_session(session_key);
    return Result<void>();
  });
}

class Approvals::Listener::State {
 public:
  State(std::shared_ptr<RuntimeLoop> loop, std::uint64_t id) : loop_(std::move(loop)), id_(id) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    // If the runtime is gone, nobody is asked any more.
    (void)loop_->ask<void>([this](AsioRuntime& runtime) {
      AsioApprovals(runtime).leave(id_);
      return Result<void>();
    });
  }

 private:
  std::shared_ptr<RuntimeLoop> loop_;
  std::uint64_t id_;
};

Approvals::Listener::Listener(std::unique_ptr<State> state) : state_(std::move(state)) {}
Approvals::Listener::Listener(Listener&& other) noexcept = default;
Approvals::Listener& Approvals::Listener::operator=(Listener&& other) noexcept = default;
Approvals::Listener::~Listener() = default;
void Approvals::Listener::leave() { state_.reset(); }

Result<Approvals::Listener> Approvals::listen(std::string session_key,
                                              std::function<void(const ApprovalRequest&)> on_ask) {
  auto id = loop_->ask<std::uint64_t>([&](AsioRuntime& runtime) -> Result<std::uint64_t> {
    return AsioApprovals(runtime).listen(std::move(session_key), std::move(on_ask));
  });
  if (!id) return fail(id.error());
  return Listener(std::make_unique<Listener::State>(loop_, *id));
}

}  // namespace talaria
