#include <signal.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "front/cli/fronts.h"
#include "front/cli/live_output.h"
#include "front/cli/report.h"
#include "front/stop_signals.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

Result<std::string> read_input(int fd) {
  auto text = read_fully(fd, kMaxStdinBytes, "standard input");
  if (text && text->size() > kMaxStdinBytes) {
    return fail(ErrorKind::limit, "--stdin: more than the limit of " +
                                      std::to_string(kMaxStdinBytes) +
                                      " bytes; put it in a file and let the command read that");
  }
  return text;
}

int exit_code_for(const Error& error) {
  return error.kind() == ErrorKind::denied ? kExecRefused : kExecFailed;
}

// Reports what the output does not show.
void report_outcome(const Outcome& outcome, const ExecOptions& options, const Stdio& stdio) {
  if (outcome.ended == CommandEnd::timed_out) {
    complain(stdio, "timed out after " + in_seconds(options.timeout) + "s; the command was killed");
  }
  for (const std::string& notice : outcome.notices) complain(stdio, notice);
  for (const Leftover& survivor : outcome.survivors) complain(stdio, survivor_text(survivor));
}

// Prints the rest and returns the exit code.
int finish(const AsioRuntime::DescribedOutcome& described, const ExecOptions& options,
           const Stdio& stdio) {
  if (options.json) {
    if (!write_output(stdio, to_line(described.result) + "\n")) return kExecFailed;
  } else if (!described.outcome) {
    complain(stdio, described.outcome.error().message());
  } else {
    report_outcome(*described.outcome, options, stdio);
  }
  return described.outcome ? described.outcome->shell_exit_code()
                           : exit_code_for(described.outcome.error());
}

}  // namespace

std::string command_text(const std::vector<std::string>& arguments) {
  return arguments.size() == 1 ? arguments.front() : quote_arguments(arguments);
}

Task<int> run_command(AsioRuntime& runtime, ExecOptions options, Stdio stdio) {
  Command command{.text = command_text(options.arguments),
                  .task = options.task,
                  .workdir = options.workdir,
                  .timeout = options.timeout};
  if (options.pass_stdin) {
    Result<std::string> text = read_input(stdio.in);
    if (!text) {
      report_error(text.error(), options.json, stdio);
      co_return kExecFailed;
    }
    command.stdin_data = std::move(*text);
  }

  const Cancel cancel;
  std::optional<StopSignals> signals(std::in_place, co_await asio::this_coro::executor,
                                     [cancel](int) { cancel.cancel(); });
  LiveOutput output(stdio.out, signals->fd());
  if (!options.json) {
    command.on_output = [&output, cancel](std::string_view bytes) {
      // After a stop signal, a reader that does not read must not block us.
      if (cancel.cancelled() || output.broken() || output.write(bytes)) return;
      cancel.cancel();
    };
  }

  AsioRuntime::DescribedOutcome described;
  if (options.json) {
    described = co_await runtime.run_and_describe(std::move(command), cancel);
  } else {
    described.outcome = co_await runtime.run(std::move(command), cancel);
  }
  signals.reset();  // from here on a signal has its default effect
  if (output.broken()) {
    complain_of_output(stdio, output.error());
    co_return output.error() == EPIPE ? 128 + SIGPIPE : kExecFailed;
  }
  co_return finish(described, options, stdio);
}

}  // namespace talaria::front::cli
