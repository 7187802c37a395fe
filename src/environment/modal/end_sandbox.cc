#include "environment/modal/end_sandbox.h"

#include <boost/asio/this_coro.hpp>

#include "environment/carrier/idle_runner.h"
#include "environment/modal/snapshot_store.h"

namespace talaria::environment::modal {
// The files of one sandbox come to be those of the next, and with them the runner's directory, in
// which its sessions are: so it has the same name in all of them.
carrier::CarrierOptions sandbox_carrier(const asio::any_io_executor& executor,
                                        const ModalProgram& program,
                                        std::function<std::string()> sandbox,
                                        std::chrono::seconds lifetime) {
  return {.places = {.name = "run-modal"},
          .lifetime = lifetime,
          .name = "Modal",
          .start =
              [executor, program, sandbox](const std::string& script) {
                return carrier::carrier_by(executor, program.exec_in(sandbox()))(script);
              },
          .explain =
              [sandbox = std::move(sandbox)](const carrier::CarrierFailure& failure) {
                return "the sandbox " + sandbox() + " cannot be reached: " + failure.message;
              }};
}

Task<Result<bool>> is_sandbox_idle(ModalProgram program, std::string sandbox) {
  const auto executor = co_await asio::this_coro::executor;
  co_return co_await carrier::is_runner_idle(
      sandbox_carrier(executor, program, [sandbox] { return sandbox; }, std::chrono::seconds(0)));
}

Task<Result<void>> keep_files(ModalProgram program, std::string home, LeaseFacts facts) {
  const std::string what = "the files of sandbox " + facts.id + " could not be kept: ";
  const auto image = co_await program.snapshot(facts.id);
  if (!image) {
    const Error& error = image.error().error;
    co_return fail(error.kind(), what + error.message());
  }
  const auto stored = co_await store_modal_snapshot(home, facts.task, *image);
  if (stored) co_return Result<void>();
  co_return fail(stored.error().kind(), what + "the snapshot " + *image +
                                            " cannot be written down: " + stored.error().message());
}

Task<Result<void>> end_sandbox(ModalProgram program, std::string home, LeaseFacts facts) {
  if (facts.keep) {
    if (const auto stored_files = co_await keep_files(program, home, facts); !stored_files) {
      const auto state = co_await program.look(facts.id);
      if (state && !state->running) forget_lease(home, facts);
      co_return fail(stored_files.error().kind(),
                     stored_files.error().message() +
                         (state && !state->running
                              ? "; it is over"
                              : "; it was left running, and the next command of task '" +
                                    facts.task + "' finds it, as long as Modal lets it live"));
    }
  }
  const auto ended = co_await program.terminate(facts.id);
  if (ended) forget_lease(home, facts);
  if (ended) co_return Result<void>();
  const Error& error = ended.error().error;
  co_return fail(error.kind(), "sandbox " + facts.id + " could not be ended: " + error.message());
}

}  // namespace talaria::environment::modal
