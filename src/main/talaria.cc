// talaria: the controller. Reads its arguments, builds the objects, runs the loop.
#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "api/asio_runtime.h"
#include "base/limits.h"
#include "environment/child_end.h"
#include "front/cli/fronts.h"
#include "front/cli/report.h"
#include "front/lines/line_server.h"
#include "front/mcp/mcp_session.h"
#include "front/run_loop.h"
#include "front/stop_signals.h"
#include "os/child_process.h"
#include "os/own_process.h"
#include "os/parent_process.h"

namespace talaria {
namespace {

// The settings that were given on the command line.
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
    // Sandboxes have their own idle time.
    std::vector<GivenSetting> settings = given_settings(line);
    settings.push_back({"TERMINAL_LIFETIME_SECONDS", "86400", "talaria serve"});
    return {.settings = std::move(settings), .name = "gateway"};
  }
  if (std::holds_alternative<front::mcp::McpOptions>(line) ||
      std::holds_alternative<front::mcp::KeeperOptions>(line)) {
    Options options{.settings = given_settings(line), .name = "mcp"};
    front::mcp::add_mcp_settings(options);
    return options;
  }
  const bool serves_agent = std::holds_alternative<front::cli::LinesOptions>(line);
  return {.settings = given_settings(line),
          .lifetime = serves_agent ? Lifetime::agent : Lifetime::command_line,
          .name = serves_agent ? "lines" : "command line",
          // the terminal belongs to the agent
          .ask_at_terminal = !serves_agent};
}

// As opposed to one command.
bool serves(const front::cli::CommandLine& line) {
  return std::holds_alternative<front::cli::LinesOptions>(line) ||
         std::holds_alternative<front::mcp::McpOptions>(line) ||
         std::holds_alternative<front::gateway::ServeOptions>(line);
}

// As opposed to looking at what runs already.
bool runs_commands(const front::cli::CommandLine& line) {
  return std::holds_alternative<front::cli::ExecOptions>(line) ||
         std::holds_alternative<front::cli::StartOptions>(line) ||
         std::holds_alternative<front::cli::CallOptions>(line) ||
         std::holds_alternative<front::cli::CodeOptions>(line) || serves(line);
}

// Other programs cannot read it from our environment, and no child inherits it.
void forget_variable(const char* name) {
  char* const value = std::getenv(name);
  if (value == nullptr) return;
  ::explicit_bzero(value, std::strlen(value));
  ::unsetenv(name);
}

// Also removes the environments that belong to this front end only. That may take long; a signal
// undoes what cannot be completed at once, and a second one ends the program.
Task<int> run_and_clean_up(AsioRuntime& runtime, Task<int> front) {
  int code = co_await std::move(front);
  const Cancel cancel;
  const front::StopSignals signals(co_await asio::this_coro::executor, [cancel, &code](int signal) {
    code = 128 + signal;
    cancel.cancel();
  });
  co_await runtime.remove_all_environments({}, cancel);
  co_return code;
}

// The sandboxes of a gateway stay for the next one.
Task<int> serve_and_end_pool(AsioRuntime& runtime, Task<int> front) {
  const int code = co_await std::move(front);
  co_await runtime.end_pool();
  co_return code;
}

// Reaps it; it is not ended with us.
Task<void> reap(os::ChildProcess child) {
  const environment::Dismissal dismissal(&child, 0);
  if (co_await environment::ends_within(child, kMaxDuration)) child.wait();
}

// The keeper of a gateway's scripts is this program again, with the same settings.
std::optional<front::mcp::ScriptKeeper::Pipes> start_keeper(
    const asio::any_io_executor& executor, const std::vector<GivenSetting>& settings) {
  const std::string program = os::own_program();
  os::SpawnSpec spec{
      .path = program.c_str(), .argv = {"talaria", "keep-scripts"}, .env = os::own_environment()};
  for (const GivenSetting& setting : settings) {
    spec.argv.insert(spec.argv.end(), {setting.place.c_str(), setting.value.c_str()});
  }
  auto child = os::spawn_piped(std::move(spec));
  if (!child) return std::nullopt;
  spawn(executor, reap(std::move(child->process)));
  return front::mcp::ScriptKeeper::Pipes{child->input.release(), child->output.release()};
}

int run(front::cli::CommandLine line) {
  const front::Stdio stdio;
  if (const auto code = front::cli::run_without_runtime(line, stdio)) return *code;

  os::ParentProcess parent;
  if (std::holds_alternative<front::mcp::McpOptions>(line)) {
    parent = os::ParentProcess::leave_behind();
  }
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
        [&stdio](const ObservedCall& call) { front::cli::show_tool_call(call, stdio); });
  }
  AsioRuntime runtime(loop.get_executor(), std::move(options));
  forget_variable("SUDO_PASSWORD");
  if (runs_commands(line)) {
    for (const std::string& warning : runtime.warnings()) front::complain(stdio, warning);
  }
  if (serves(line)) runtime.fill_pool();
  if (auto* serve = std::get_if<front::gateway::ServeOptions>(&line)) {
    const auto start = [&loop, settings = serve->settings] {
      return start_keeper(loop.get_executor(), settings);
    };
    auto gateway = front::gateway::serve_front(runtime, std::move(*serve), stdio, start);
    return front::run_front(loop, serve_and_end_pool(runtime, std::move(gateway)), stdio,
                            front::gateway::kServeFailed);
  }
  const int failure_code = front::cli::failure_code(line);
  auto command = front::cli::run_with_runtime(runtime, line, stdio);
  const std::function<void(int)> leave_client = [&parent](int code) { parent.release(code); };
  if (auto* mcp = std::get_if<front::mcp::McpOptions>(&line)) {
    command = front::mcp::serve_mcp(runtime, std::move(*mcp), stdio,
                                    parent.is_there() ? leave_client : nullptr);
  } else if (std::holds_alternative<front::mcp::KeeperOptions>(line)) {
    command = front::mcp::serve_keeper(runtime, stdio, leave_client);
  } else if (!command) {
    command = front::lines::serve_lines(runtime, stdio);
  }
  return front::run_front(loop, run_and_clean_up(runtime, std::move(*command)), stdio,
                          failure_code);
}

}  // namespace
}  // namespace talaria

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
// Asio allocates the frames of coroutines with it. That of glibc takes ten times as long as malloc,
// also for an alignment that malloc has anyway.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size);
  void* memory = nullptr;
  return ::posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}
#endif

int main(int argc, char** argv) {
  talaria::os::fill_standard_descriptors();
  ::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of the write
  return talaria::run(talaria::front::cli::parse_command_line({argv + 1, argv + argc}));
}
