#include <talaria/sandboxes.h>

#include <optional>
#include <utility>

#include "api/asio_sandboxes.h"
#include "api/cancel_watch.h"
#include "api/runtime_loop.h"
#include "base/result.h"

namespace talaria {

// Made, used and destroyed on the loop.
class Sandboxes::State {
 public:
  std::optional<AsioSandboxes> sandboxes;
};

namespace {

using StatePointer = std::shared_ptr<Sandboxes::State>;

// What `work` does with the sandboxes. The Sandboxes may be gone before it ends.
template <class T, class Work>
RuntimeLoop::Begin<T> with_sandboxes(StatePointer state, Work work) {
  return [state = std::move(state), work = std::move(work)](AsioRuntime&) mutable {
    return work(*state->sandboxes);
  };
}

Task<Result<OutputRead>> follow_relayed(AsioSandboxes sandboxes, std::string owner,
                                        std::string sandbox, std::string id, OutputQuery query,
                                        Cancel cancel, std::shared_ptr<OutputRelay> relay) {
  const CancelWatch watch(cancel, [relay] { relay->cancel().cancel(); });
  const auto sink = [relay](std::uint64_t from, std::string_view bytes) {
    relay->add(from, bytes);
  };
  auto read = co_await sandboxes.follow(std::move(owner), std::move(sandbox), std::move(id),
                                        std::move(query), sink, relay->cancel());
  co_await relay->drained();
  if (std::optional<Error> error = relay->error()) co_return fail(std::move(*error));
  co_return read;
}

}  // namespace

Sandboxes::Sandboxes(std::shared_ptr<RuntimeLoop> loop, std::shared_ptr<State> state)
    : loop_(std::move(loop)), state_(std::move(state)) {}
Sandboxes::Sandboxes(Sandboxes&& other) noexcept = default;
Sandboxes& Sandboxes::operator=(Sandboxes&& other) noexcept = default;

Sandboxes::~Sandboxes() {
  if (!loop_ || loop_->forked()) return;
  (void)loop_->ask<void>([state = std::move(state_)](AsioRuntime&) {
    state->sandboxes.reset();
    return Result<void>();
  });
}

Result<Sandboxes> Sandboxes::open(const Runtime& runtime) {
  auto state = std::make_shared<State>();
  const Result<void> opened = runtime.loop()->ask<void>(
      [&](AsioRuntime& there) { return state->sandboxes.emplace(there).open(); });
  if (!opened) return fail(opened.error());
  return Sandboxes(runtime.loop(), std::move(state));
}

Result<SandboxInfo> Sandboxes::find(const std::string& owner, const std::string& id) {
  return loop_->ask<SandboxInfo>([&](AsioRuntime&) { return state_->sandboxes->find(owner, id); });
}

Result<std::vector<SandboxInfo>> Sandboxes::list(const std::string& owner) {
  return loop_->ask<std::vector<SandboxInfo>>(
      [&](AsioRuntime&) -> Result<std::vector<SandboxInfo>> {
        return state_->sandboxes->list(owner);
      });
}

Result<std::vector<ExecInfo>> Sandboxes::execs(const std::string& owner,
                                               const std::string& sandbox) {
  return loop_->ask<std::vector<ExecInfo>>(
      [&](AsioRuntime&) { return state_->sandboxes->execs(owner, sandbox); });
}

Result<SandboxInfo> Sandboxes::create(std::string owner, SandboxSpec spec, std::string key) {
  return loop_->wait<SandboxInfo>(
      "create()",
      with_sandboxes<SandboxInfo>(state_, [owner = std::move(owner), spec = std::move(spec),
                                           key = std::move(key)](AsioSandboxes& sandboxes) mutable {
        return sandboxes.create(std::move(owner), std::move(spec), std::move(key));
      }));
}

void Sandboxes::create(std::string owner, SandboxSpec spec, std::string key,
                       std::function<void(Result<SandboxInfo>)> done) {
  loop_->start<SandboxInfo>(
      with_sandboxes<SandboxInfo>(state_,
                                  [owner = std::move(owner), spec = std::move(spec),
                                   key = std::move(key)](AsioSandboxes& sandboxes) mutable {
                                    return sandboxes.create(std::move(owner), std::move(spec),
                                                            std::move(key));
                                  }),
      std::move(done));
}

Result<Termination> Sandboxes::terminate(std::string owner, std::string id, bool snapshot) {
  return loop_->wait<Termination>(
      "terminate()",
      with_sandboxes<Termination>(state_, [owner = std::move(owner), id = std::move(id),
                                           snapshot](AsioSandboxes& sandboxes) mutable {
        return sandboxes.terminate(std::move(owner), std::move(id), snapshot);
      }));
}

void Sandboxes::terminate(std::string owner, std::string id, bool snapshot,
                          std::function<void(Result<Termination>)> done) {
  loop_->start<Termination>(
      with_sandboxes<Termination>(state_,
                                  [owner = std::move(owner), id = std::move(id),
                                   snapshot](AsioSandboxes& sandboxes) mutable {
                                    return sandboxes.terminate(std::move(owner), std::move(id),
                                                               snapshot);
                                  }),
      std::move(done));
}

Result<ExecInfo> Sandboxes::start(std::string owner, std::string sandbox, ExecSpec spec,
                                  std::chrono::milliseconds wait, Cancel gone) {
  return loop_->wait<ExecInfo>(
      "start()",
      with_sandboxes<ExecInfo>(
          state_, [owner = std::move(owner), sandbox = std::move(sandbox), spec = std::move(spec),
                   wait, gone = std::move(gone)](AsioSandboxes& sandboxes) mutable {
            return sandboxes.start(std::move(owner), std::move(sandbox), std::move(spec), wait, {},
                                   std::move(gone));
          }));
}

void Sandboxes::start(std::string owner, std::string sandbox, ExecSpec spec,
                      std::chrono::milliseconds wait, Cancel gone,
                      std::function<void(Result<ExecInfo>)> done) {
  loop_->start<ExecInfo>(
      with_sandboxes<ExecInfo>(
          state_,
          [owner = std::move(owner), sandbox = std::move(sandbox), spec = std::move(spec), wait,
           gone = std::move(gone)](AsioSandboxes& sandboxes) mutable {
            return sandboxes.start(std::move(owner), std::move(sandbox), std::move(spec), wait, {},
                                   std::move(gone));
          }),
      std::move(done));
}

Result<ExecInfo> Sandboxes::exec(std::string owner, std::string sandbox, std::string id,
                                 std::chrono::milliseconds wait, Cancel gone) {
  return loop_->wait<ExecInfo>(
      "exec()",
      with_sandboxes<ExecInfo>(
          state_, [owner = std::move(owner), sandbox = std::move(sandbox), id = std::move(id), wait,
                   gone = std::move(gone)](AsioSandboxes& sandboxes) mutable {
            return sandboxes.exec(std::move(owner), std::move(sandbox), std::move(id), wait,
                                  std::move(gone));
          }));
}

void Sandboxes::exec(std::string owner, std::string sandbox, std::string id,
                     std::chrono::milliseconds wait, Cancel gone,
                     std::function<void(Result<ExecInfo>)> done) {
  loop_->start<ExecInfo>(
      with_sandboxes<ExecInfo>(
          state_,
          [owner = std::move(owner), sandbox = std::move(sandbox), id = std::move(id), wait,
           gone = std::move(gone)](AsioSandboxes& sandboxes) mutable {
            return sandboxes.exec(std::move(owner), std::move(sandbox), std::move(id), wait,
                                  std::move(gone));
          }),
      std::move(done));
}

Result<ExecInfo> Sandboxes::cancel(std::string owner, std::string sandbox, std::string id) {
  return loop_->wait<ExecInfo>(
      "cancel()",
      with_sandboxes<ExecInfo>(state_, [owner = std::move(owner), sandbox = std::move(sandbox),
                                        id = std::move(id)](AsioSandboxes& sandboxes) mutable {
        return sandboxes.cancel(std::move(owner), std::move(sandbox), std::move(id));
      }));
}

Result<void> Sandboxes::signal(std::string owner, std::string sandbox, std::string id, int number) {
  return loop_->wait<void>(
      "signal()",
      with_sandboxes<void>(state_, [owner = std::move(owner), sandbox = std::move(sandbox),
                                    id = std::move(id), number](AsioSandboxes& sandboxes) mutable {
        return sandboxes.signal(std::move(owner), std::move(sandbox), std::move(id), number);
      }));
}

Result<bool> Sandboxes::write(std::string owner, std::string sandbox, std::string id,
                              std::string data, bool end) {
  return loop_->wait<bool>(
      "write()",
      with_sandboxes<bool>(
          state_, [owner = std::move(owner), sandbox = std::move(sandbox), id = std::move(id),
                   data = std::move(data), end](AsioSandboxes& sandboxes) mutable {
            return sandboxes.write(std::move(owner), std::move(sandbox), std::move(id),
                                   std::move(data), end);
          }));
}

Result<OutputRead> Sandboxes::follow(std::string owner, std::string sandbox, std::string id,
                                     OutputQuery query,
                                     std::function<void(std::uint64_t, std::string_view)> sink,
                                     Cancel cancel) {
  const auto loop = loop_;
  return loop->wait_relayed<OutputRead>(
      "follow()", std::move(sink), [&](AsioRuntime&, std::shared_ptr<OutputRelay> relay) {
        return follow_relayed(*state_->sandboxes, std::move(owner), std::move(sandbox),
                              std::move(id), std::move(query), std::move(cancel), std::move(relay));
      });
}

}  // namespace talaria
