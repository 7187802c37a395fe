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

// A stream to the runner in the sandbox. One that has ended is replaced first.
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
  const EnvironmentSpec& spec = sandbox->spec();
  const auto carrier = std::make_shared<carrier::Carrier>(
      executor,
      sandbox_carrier(
          executor, sandbox->program(), [sandbox] { return sandbox->id(); }, spec.lifetime));
  TargetOptions options = target_options(sandbox);
  options.isolated = true;
  return {.carrier = carrier,
          .connect = [carrier, sandbox] { return connect(carrier, sandbox); },
          .options = std::move(options),
          .plain = spec.plain};
}

}  // namespace

Result<void> check_modal(const ModalConfig& config) {
  if (const auto account = find_modal_account(config); !account) return fail(account.error());
  if (const auto program = find_modal_program(); !program) return fail(program.error());
  return {};
}

Task<Result<bool>> is_modal_sandbox_up(ModalConfig config, EnvironmentSpec spec) {
  const auto account = find_modal_account(config);
  if (!account) co_return fail(account.error());
  const auto program = find_modal_program();
  if (!program) co_return fail(program.error());
  const ModalProgram modal(*program, *account);
  const auto lease = newest_lease(spec.home, {.kind = std::string(kSandboxLease),
                                              .target = spec.target,
                                              .engine = account->identity(),
                                              .task = spec.task});
  if (!lease) co_return false;
  const auto state = co_await modal.look(lease->facts.id);
  if (!state) co_return fail(state.error().error);
  co_return state->running;
}

Task<Result<std::unique_ptr<Environment>>> make_modal_environment(ModalConfig config,
                                                                  EnvironmentSpec spec) {
  const auto account = find_modal_account(config);
  if (!account) co_return fail(account.error());
  const auto program = find_modal_program();
  if (!program) co_return fail(program.error());
  const auto executor = co_await asio::this_coro::executor;
  const auto sandbox = std::make_shared<ModalSandbox>(executor, ModalProgram(*program, *account),
                                                      std::move(config), std::move(spec));
  if (const auto acquired = co_await sandbox->acquire(); !acquired) {
    co_return fail(acquired.error());
  }
  auto made = co_await carrier::make_carried_environment(carried(executor, sandbox));
  if (!made) (void)co_await sandbox->close(false);  // no other call will
  co_return std::move(made);
}

}  // namespace talaria::environment::modal
