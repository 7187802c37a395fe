#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

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

constexpr std::size_t kFirstInput = 1u << 20;
constexpr int kInputPause = 100;  // ms

// Reads what is there already, up to a limit and for a moment: input that ends at once is judged
// with the command, as far as that runs what it reads. The rest is passed on as it comes.
void pass_input(Command& command, int fd) {
  std::string& first = command.stdin_data.emplace();
  std::string chunk(64u << 10, '\0');
  const bool typed = ::isatty(fd) == 1;
  pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
  while (!typed && first.size() < kFirstInput && ::poll(&wait, 1, kInputPause) > 0) {
    const ssize_t size = ::read(fd, chunk.data(), chunk.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size <= 0) return;
    first.append(chunk, 0, static_cast<std::size_t>(size));
  }
  command.stdin_fd = fd;
}

// Both are the same terminal, pipe or file: only one stream keeps the order of what is printed.
bool is_same_file(int one, int other) {
  struct stat a{};
  struct stat b{};
  return ::fstat(one, &a) == 0 && ::fstat(other, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

int failure_code_of(const Error& error) {
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
                           : failure_code_of(described.outcome.error());
}

}  // namespace

std::string command_text(const std::vector<std::string>& arguments) {
  return arguments.size() == 1 ? arguments.front() : quote_arguments(arguments);
}

Task<int> run_command(AsioRuntime& runtime, ExecOptions options, Stdio stdio) {
  if (options.terminal) co_return co_await run_on_terminal(runtime, std::move(options), stdio);
  Command command{.text = command_text(options.arguments),
                  .task = options.task,
                  .workdir = options.workdir,
                  .timeout = options.timeout};
  if (options.pass_stdin) pass_input(command, stdio.in);

  const Cancel cancel;
  std::optional<StopSignals> signals(std::in_place, co_await asio::this_coro::executor,
                                     [cancel](int) { cancel.cancel(); });
  LiveOutput output(stdio.out, signals->fd());
  LiveOutput errors(stdio.err, signals->fd());
  const auto write_to = [cancel](LiveOutput& stream) {
    return [&stream, cancel](std::string_view bytes) {
      // After a stop signal, a reader that does not read must not block us.
      if (cancel.cancelled() || stream.broken() || stream.write(bytes)) return;
      cancel.cancel();
    };
  };
  if (!options.json) {
    command.on_output = write_to(output);
    if (!is_same_file(stdio.out, stdio.err)) command.on_errors = write_to(errors);
  }

  AsioRuntime::DescribedOutcome described;
  if (options.json) {
    described = co_await runtime.run_and_describe(std::move(command), cancel);
  } else {
    described.outcome = co_await runtime.run(std::move(command), cancel);
  }
  signals.reset();  // from here on a signal has its default effect
  for (const LiveOutput* stream : {&output, &errors}) {
    if (!stream->broken()) continue;
    complain_of_output(stdio, stream->error());
    co_return stream->error() == EPIPE ? 128 + SIGPIPE : kExecFailed;
  }
  co_return finish(described, options, stdio);
}

}  // namespace talaria::front::cli
