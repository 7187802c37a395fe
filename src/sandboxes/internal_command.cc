#include "sandboxes/internal_command.h"

#include <chrono>
#include <utility>

#include "base/text.h"

namespace talaria::sandboxes {
namespace {

constexpr auto kOwnCommandTimeout = std::chrono::minutes(5);  // enough to copy a snapshot

}  // namespace

Task<Result<std::string>> run_internal_command(tool::Services services, std::string sandbox,
                                               std::string command) {
  const auto environment = co_await services.environments.get(sandbox);
  if (!environment) co_return fail(environment.error());
  environment::CommandSpec spec{.command = std::move(command),
                                .first_cwd = "/",
                                .env = services.settings.variables().child_env(),
                                .carried_env = services.settings.variables().carried_env(),
                                .timeout = kOwnCommandTimeout,
                                .head_limit = 4096,
                                .tail_limit = 4096,
                                .spill_quota = 0};
  const auto outcome = co_await (*environment)->run(std::move(spec), CancelToken());
  if (!outcome) co_return fail(outcome.error());
  const std::string printed(trim(outcome->head + outcome->tail));
  if (outcome->ended != CommandEnd::exited || exit_code_of(outcome->status) != 0) {
    co_return fail(ErrorKind::unavailable, sanitize_utf8(printed));
  }
  co_return printed;
}

}  // namespace talaria::sandboxes
