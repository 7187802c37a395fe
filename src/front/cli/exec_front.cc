#include "front/cli/exec_front.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/cancel.h"
#include "base/limits.h"
#include "base/text.h"
#include "front/cli/live_output.h"
#include "front/json_text.h"
#include "front/stop_signals.h"
#include "tools/exec.h"

namespace talaria {
namespace {

Result<std::string> read_all(int fd) {
  std::string text;
  std::vector<char> chunk(64 * 1024);
  for (;;) {
    const ssize_t size = ::read(fd, chunk.data(), chunk.size());
    if (size == 0) return text;
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return fail(Error::from_errno("read standard input"));
    text.append(chunk.data(), static_cast<std::size_t>(size));
    if (text.size() > kMaxStdinBytes) {
      return fail(ErrorKind::limit, "--stdin: more than the limit of " +
                                        std::to_string(kMaxStdinBytes) +
                                        " bytes; put it in a file and let the command read that");
    }
  }
}

int exit_code_for(const Error& error) {
  return error.kind() == ErrorKind::denied ? kExecRefused : kExecFailed;
}

// What a person should know and the output does not say.
void tell(const CommandOutcome& outcome, const ExecOptions& options, const Stdio& stdio) {
  if (outcome.ended == CommandEnd::timed_out) {
    complain(stdio, "timed out after " + in_seconds(options.timeout) + "s; the command was killed");
  }
  for (const std::string& notice : outcome.notices) complain(stdio, notice);
  for (const Leftover& survivor : outcome.survivors) {
    complain(stdio, "process " + std::to_string(survivor.pid) + " (" + survivor.name +
                        ") could not be ended: " + survivor.reason);
  }
}

// Prints what is left to print, and says what to exit with.
int finish(const CommandRun& run, const Host& host, const ExecOptions& options,
           const Stdio& stdio) {
  if (options.json) {
    write_fully(stdio.out, to_line(describe_exec(run, host, options.timeout)) + "\n");
  } else if (!run.outcome) {
    complain(stdio, run.outcome.error().message());
  } else {
    tell(*run.outcome, options, stdio);
  }
  return run.outcome ? shell_exit_code(*run.outcome) : exit_code_for(run.outcome.error());
}

}  // namespace

Task<int> exec_front(Host& host, ExecOptions options, Stdio stdio) {
  ExecRequest request{.words = options.words,
                      .task = options.task,
                      .workdir = options.workdir,
                      .timeout = options.timeout};
  if (options.pass_stdin) {
    Result<std::string> text = read_all(stdio.in);
    if (!text) {
      complain(stdio, text.error().message());
      co_return kExecFailed;
    }
    request.stdin_data = std::move(*text);
  }

  const auto executor = co_await asio::this_coro::executor;
  CancelToken cancel;
  std::optional<StopSignals> signals(std::in_place, executor,
                                     [cancel](int) mutable { cancel.cancel(); });
  LiveOutput output(stdio.out, signals->fd());
  if (!options.json) {
    request.on_output = [&output, executor, cancel](std::string_view bytes) {
      // Once told to stop, a reader who does not read must not hold us.
      if (cancel.cancelled() || output.broken() || output.write(bytes)) return;
      // Not from within the run we are called from.
      asio::post(executor, [token = cancel]() mutable { token.cancel(); });
    };
  }

  const CommandRun run = co_await exec(host, std::move(request), cancel);
  signals.reset();  // from here on one ends us as it would anybody
  if (output.broken()) co_return 128 + SIGPIPE;
  co_return finish(run, host, options, stdio);
}

}  // namespace talaria
