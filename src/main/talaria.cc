// talaria: the controller. Reads its arguments, builds the objects, runs the loop.
#include <signal.h>
#include <talaria/asio.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "front/cli/at_once.h"
#include "front/cli/command_line.h"
#include "front/cli/process/process_front.h"
#include "front/lines/line_server.h"
#include "front/mcp/mcp_session.h"
#include "front/run_front.h"
#include "os/own_process.h"

namespace talaria {
namespace {

// What the command line says about the configuration.
std::vector<GivenSetting> given_settings(const front::cli::CommandLine& line) {
  return std::visit(
      [](const auto& options) -> std::vector<GivenSetting> {
        if constexpr (requires { options.settings; }) return options.settings;
        return {};
      },
      line);
}

Options runtime_options(const front::cli::CommandLine& line) {
  if (std::holds_alternative<front::gateway::ServeOptions>(line)) {
    // How long something stays without use the sandboxes say themselves.
    std::vector<GivenSetting> settings = given_settings(line);
    settings.push_back({"TERMINAL_LIFETIME_SECONDS", "86400", "talaria serve"});
    return {.settings = std::move(settings), .name = "gateway"};
  }
  if (std::holds_alternative<front::mcp::McpOptions>(line)) {
    Options options{.settings = given_settings(line), .name = "mcp"};
    front::mcp::add_mcp_settings(options);
    return options;
  }
  const bool serves_agent = std::holds_alternative<front::cli::LinesOptions>(line);
  return {.settings = given_settings(line),
          .lifetime = serves_agent ? Lifetime::agent : Lifetime::command_line,
          .name = serves_agent ? "lines" : "command line",
          // an agent owns the terminal it was started at
          .ask_at_terminal = !serves_agent};
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

int run(front::cli::CommandLine line) {
  const front::Stdio stdio;
  if (const auto answered = front::cli::answer_at_once(line, stdio)) return *answered;

  asio::io_context loop(1);
  if (auto* check = std::get_if<front::check::CheckOptions>(&line)) {
    return front::run_front(loop, front::check::check_front(std::move(*check), stdio), stdio,
                            front::check::kCheckImpossible);
  }
  Options options = runtime_options(line);
  options.hooks.preparing = [&stdio](std::string_view what) {
    front::complain(stdio, std::string(what));
  };
  if (std::holds_alternative<front::cli::CodeOptions>(line) && ::isatty(stdio.err) == 1) {
    options.hooks.observers.emplace_back(
        [&stdio](const ObservedCall& call) { front::cli::tell_tool_call(call, stdio); });
  }
  AsioRuntime runtime(loop.get_executor(), std::move(options));
  forget_variable("SUDO_PASSWORD");
  const auto run_to_end = [&](Task<int> front, int failure_code) {
    return front::run_front(loop, to_the_end(runtime, std::move(front)), stdio, failure_code);
  };
  if (auto* serve = std::get_if<front::gateway::ServeOptions>(&line)) {
    // Its sandboxes stay, for the next one to find them.
    return front::run_front(loop, front::gateway::serve_front(runtime, std::move(*serve), stdio),
                            stdio, front::gateway::kServeFailed);
  }
  if (auto* mcp = std::get_if<front::mcp::McpOptions>(&line)) {
    return run_to_end(front::mcp::serve_mcp(runtime, std::move(*mcp), stdio),
                      front::cli::kCallFailed);
  }
  if (auto* exec = std::get_if<front::cli::ExecOptions>(&line)) {
    return run_to_end(front::cli::exec_front(runtime, std::move(*exec), stdio),
                      front::cli::kExecFailed);
  }
  if (auto* call = std::get_if<front::cli::CallOptions>(&line)) {
    return run_to_end(front::cli::call_front(runtime, std::move(*call), stdio),
                      front::cli::kCallFailed);
  }
  if (auto* code = std::get_if<front::cli::CodeOptions>(&line)) {
    return run_to_end(front::cli::code_front(runtime, std::move(*code), stdio),
                      front::cli::kCodeFailed);
  }
  if (auto front = front::cli::process_front(runtime, line, stdio)) {
    return run_to_end(std::move(*front), front::cli::failure_code(line));
  }
  return run_to_end(front::lines::serve_lines(runtime, stdio), front::cli::kCallFailed);
}

}  // namespace
}  // namespace talaria

int main(int argc, char** argv) {
  talaria::os::fill_standard_descriptors();
  ::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error of the write, not our end
  return talaria::run(talaria::front::cli::parse_command_line({argv + 1, argv + argc}));
}
