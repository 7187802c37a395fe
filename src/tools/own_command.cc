#include "tools/own_command.h"

#include <utility>

#include "base/text.h"
#include "environment/output_window.h"

namespace talaria::tool {

Task<Result<std::string>> run_own_command(const Services& services,
                                          environment::Environment& environment, OwnCommand command,
                                          CancelToken cancel) {
  environment::OutputWindow errors(command.most / 2, command.most / 2);
  environment::CommandSpec spec{.command = std::move(command.text),
                                .first_cwd = "/",
                                .env = services.settings.variables().child_env(),
                                .carried_env = services.settings.variables().carried_env(),
                                .timeout = command.timeout,
                                .stdin_data = std::move(command.stdin_data),
                                .stdin_fd = command.stdin_fd,
                                .head_limit = command.most / 2,
                                .tail_limit = command.most / 2,
                                .spill_quota = 0,
                                .on_output = std::move(command.on_output),
                                .flow = std::move(command.flow)};
  const bool streams = static_cast<bool>(spec.on_output);
  if (streams) spec.on_errors = [&errors](std::string_view bytes) { errors.add(bytes); };
  const auto outcome = co_await environment.run(std::move(spec), std::move(cancel));
  if (!outcome) co_return fail(outcome.error());
  const std::string all = streams ? errors.head() + errors.tail() : outcome->head + outcome->tail;
  const std::string printed(trim(all));
  if (outcome->ended == CommandEnd::interrupted)
    co_return fail(ErrorKind::interrupted, "cancelled");
  if (outcome->ended == CommandEnd::timed_out) {
    co_return fail(ErrorKind::timed_out, "the target took too long");
  }
  if (exit_code_of(outcome->status) != 0) {
    co_return fail(ErrorKind::unavailable, sanitize_utf8(printed));
  }
  co_return printed;
}

Task<Result<std::string>> run_own_command(Services services, std::string task, std::string text) {
  const auto environment = co_await services.environments.get(std::move(task));
  if (!environment) co_return fail(environment.error());
  OwnCommand command{.text = std::move(text)};
  co_return co_await run_own_command(services, **environment, std::move(command), CancelToken());
}

}  // namespace talaria::tool
