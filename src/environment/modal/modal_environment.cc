#include "environment/modal/modal_environment.h"

#include <utility>

#include <boost/asio/this_coro.hpp>

#include "environment/carrier/carried_environment.h"
#include "environment/modal/end_sandbox.h"
#include "environment/modal/modal_sandbox.h"
#include "environment/task_lease.h"

namespace talaria::environment::modal {
namespace {

using SandboxPointer = std::shared_ptr<ModalSandbox>;

// A stream to the runner in it. One that is over is replaced first.
Task<Result<link::ByteStream>> connect(std::shared_ptr<carrier::Carrier> carrier,
                                       SandboxPointer sandbox) {
  auto stream = co_await carrier->connect();
  if (stream) co_return std::move(stream);
  const auto replaced = co_await sandbox->replace_if_over();
  if (!replaced) {
    co_return fail(replaced.error().kind(),
                   stream.error().message() + "; " + replaced.error().message());
  }
  if (!*replaced) co_return std::move(stream);
  co_return co_await carrier->connect();
}

carrier::CarriedTarget carried(const asio::any_io_executor& executor,
                               const SandboxPointer& sandbox) {
  const ModalOptions& options = sandbox->options();
  const auto carrier = std::make_shared<carrier::Carrier>(
      executor,
      sandbox_carrier(
          executor, sandbox->program(), [sandbox] { return sandbox->id(); }, options.lifetime));
  return {.carrier = carrier,
          .connect = [carrier, sandbox] { return connect(carrier, sandbox); },
          .link = {.target = options.target,
                   .place = [sandbox] { return sandbox->place(); },
                   .persistent = options.persistent,
                   .isolated = true,
                   .limits =
                       [sandbox] {
                         const ModalOptions& said = sandbox->options();
                         return EnvironmentLimits{
                             .cpu = said.cpu, .memory_mb = said.memory_mb, .disk_mb = said.disk_mb};
                       },
                   .close = [sandbox](bool remove) { return sandbox->close(remove); },
                   .news = [sandbox] { return sandbox->take_news(); },
                   .used = [sandbox] { sandbox->used(); },
                   .elsewhere = true,
                   .login = options.login},
          .plain = options.plain};
}

}  // namespace

Result<void> check_modal() {
  if (const auto program = find_modal_program(); !program) return fail(program.error());
  return {};
}

Task<Result<bool>> is_modal_sandbox_up(ModalOptions options) {
  const auto program = find_modal_program();
  if (!program) co_return fail(program.error());
  const ModalProgram modal(*program, options.account);
  const auto lease = newest_lease(options.home, {.kind = std::string(kSandboxLease),
                                                 .target = options.target,
                                                 .engine = options.account.identity(),
                                                 .task = options.task});
  if (!lease) co_return false;
  const auto state = co_await modal.look(lease->facts.id);
  if (!state) co_return fail(state.error().error);
  co_return state->running;
}

Task<Result<std::unique_ptr<Environment>>> make_modal_environment(ModalOptions options) {
  const auto program = find_modal_program();
  if (!program) co_return fail(program.error());
  const auto executor = co_await asio::this_coro::executor;
  ModalProgram modal(*program, options.account);
  const auto sandbox =
      std::make_shared<ModalSandbox>(executor, std::move(modal), std::move(options));
  if (const auto acquired = co_await sandbox->acquire(); !acquired) {
    co_return fail(acquired.error());
  }
  auto made = co_await carrier::make_carried_environment(carried(executor, sandbox));
  if (!made) (void)co_await sandbox->close(false);  // nobody else will
  co_return std::move(made);
}

}  // namespace talaria::environment::modal
