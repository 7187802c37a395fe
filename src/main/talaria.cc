// talaria: the controller. Reads its arguments, builds the objects, runs the loop.
#include <fcntl.h>
#include <signal.h>
#include <talaria/asio.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "front/cli/approval_prompt.h"
#include "front/cli/at_once.h"
#include "front/cli/command_line.h"
#include "front/cli/process/process_front.h"
#include "front/lines/line_server.h"
#include "front/run_front.h"

namespace talaria {
namespace {

// Whoever started us may have closed one of the three; a descriptor of ours must not take its
// place.
void fill_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) < 0) std::ignore = ::open("/dev/null", O_RDWR);
  }
}

// What the command line says about the configuration.
std::vector<GivenSetting> given_settings(const CommandLine& line) {
  return std::visit(
      [](const auto& options) -> std::vector<GivenSetting> {
        if constexpr (requires { options.settings; }) return options.settings;
        return {};
      },
      line);
}

Options runtime_options(const CommandLine& line) {
  const bool serves_agent = std::holds_alternative<LinesOptions>(line);
  return {.settings = given_settings(line),
          .lifetime = serves_agent ? Lifetime::agent : Lifetime::command_line,
          .name = serves_agent ? "lines" : "command line",
          .ask_at_terminal = !serves_agent};
}

// A person at a terminal is asked there; an agent owns the terminal it was started at.
bool may_ask(const CommandLine& line) {
  const bool runs = std::holds_alternative<ExecOptions>(line) ||
                    std::holds_alternative<CallOptions>(line) ||
                    std::holds_alternative<StartOptions>(line);
  return runs && can_ask_on_terminal();
}

// Whoever may look into our environment finds nothing there, and no program of ours inherits it.
void forget_variable(const char* name) {
  char* const value = std::getenv(name);
  if (value == nullptr) return;
  ::explicit_bzero(value, std::strlen(value));
  ::unsetenv(name);
}

// What the front end had made for itself alone goes with it.
Task<int> to_the_end(AsioRuntime& runtime, Task<int> front) {
  const int code = co_await std::move(front);
  co_await runtime.remove_all_environments();
  co_return code;
}

int run(CommandLine line) {
  const Stdio stdio;
  if (const auto answered = answer_at_once(line, stdio)) return *answered;

  asio::io_context loop(1);
  if (auto* check = std::get_if<CheckOptions>(&line)) {
    return run_front(loop, check_front(std::move(*check), stdio), stdio, kCheckImpossible);
  }
  Options options = runtime_options(line);
  options.hooks.preparing = [&stdio](std::string_view what) { complain(stdio, std::string(what)); };
  if (may_ask(line)) {
    options.hooks.ask = [executor = asio::any_io_executor(loop.get_executor())](
                            const ApprovalRequest& request, const ApprovalReply& reply) {
      ask_on_terminal(executor, request, reply);
    };
  }
  AsioRuntime runtime(loop.get_executor(), std::move(options));
  forget_variable("SUDO_PASSWORD");
  const auto run_to_end = [&](Task<int> front, int failure_code) {
    return run_front(loop, to_the_end(runtime, std::move(front)), stdio, failure_code);
  };
  if (auto* exec = std::get_if<ExecOptions>(&line)) {
    return run_to_end(exec_front(runtime, std::move(*exec), stdio), kExecFailed);
  }
  if (auto* call = std::get_if<CallOptions>(&line)) {
    return run_to_end(call_front(runtime, std::move(*call), stdio), kCallFailed);
  }
  if (auto front = process_front(runtime, line, stdio)) {
    return run_to_end(std::move(*front), failure_code(line));
  }
  return run_to_end(serve_lines(runtime, stdio), kCallFailed);
}

}  // namespace
}  // namespace talaria

int main(int argc, char** argv) {
  talaria::fill_standard_descriptors();
  ::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error of the write, not our end
  return talaria::run(talaria::parse_command_line({argv + 1, argv + argc}));
}
