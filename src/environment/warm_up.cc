#include "environment/warm_up.h"

#include <utility>

#include "base/backoff.h"
#include "environment/link_environment.h"

namespace talaria::environment {
namespace {

constexpr int kEndAttempts = 8;

}  // namespace

Task<Result<void>> warm_up_runner(asio::any_io_executor executor, EnvironmentSpec spec,
                                  link::LinkDriver::Connect connect) {
  LinkEnvironment environment(executor,
                              {.target = spec.target, .elsewhere = true, .login = spec.login},
                              std::move(connect));
  const std::string session = "pool";
  const CommandSpec first{
      .command = "true", .session = session, .first_cwd = spec.cwd, .timeout = spec.timeout};
  const auto ran = co_await environment.run(first, {});
  if (!ran) co_return fail(ran.error());
  // The last process of the command may end a little later.
  Backoff pause(std::chrono::milliseconds(5), std::chrono::milliseconds(200));
  for (int attempt = 0; attempt < kEndAttempts; ++attempt) {
    if (co_await environment.end_session(session)) break;
    co_await pause.pause();
  }
  co_return Result<void>();
}

}  // namespace talaria::environment
