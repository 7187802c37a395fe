// talaria: the controller. Reads its arguments, builds the objects, runs the loop.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "environment/carrier/carrier_environment.h"
#include "environment/local/local_environment.h"
#include "front/cli/command_line.h"
#include "front/lines/line_server.h"
#include "front/run_front.h"
#include "host/host.h"
#include "host/login_files.h"

namespace talaria {
namespace {

// Every kind of target there is. To add one: write its folder in environment/, then its line here.
std::vector<Backend> backends(const asio::any_io_executor& executor) {
  return {
      {"local",
       [executor](const Config& config) {
         return make_local_environment(
             executor,
             {.home = config.home, .lifetime = config.lifetime, .login = login_files(config)});
       }},
      {"carrier",
       [executor](const Config& config) {
         return make_carrier_environment(executor, {.command = config.carrier,
                                                    .joins_words = config.carrier_joins_words,
                                                    .batches = config.carrier_batches,
                                                    .lifetime = config.lifetime,
                                                    .login = login_files(config)});
       }},
  };
}

// Whoever started us may have closed one of the three; a descriptor of ours must not take its
// place.
void fill_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) < 0) std::ignore = ::open("/dev/null", O_RDWR);
  }
}

int show(const ShowText& text) {
  const Stdio stdio;
  write_fully(text.exit_code == 0 ? stdio.out : stdio.err, text.text);
  return text.exit_code;
}

// What the command line says about the configuration.
std::vector<ConfigFlag> setting_flags(const CommandLine& line) {
  if (const auto* exec = std::get_if<ExecOptions>(&line)) return exec->settings;
  if (const auto* call = std::get_if<CallOptions>(&line)) return call->settings;
  if (const auto* lines = std::get_if<LinesOptions>(&line)) return lines->settings;
  return {};
}

int run(CommandLine line) {
  if (const auto* text = std::get_if<ShowText>(&line)) return show(*text);
  const Caller caller = Caller::of_this_process();
  const Stdio stdio;
  if (const auto* config = std::get_if<ConfigOptions>(&line)) {
    return config_front(caller, *config, stdio);
  }

  // An agent's front end lives as long as its agent; a command line is gone in a moment, and the
  // next one wants to find its session.
  const bool serves_agent = std::holds_alternative<LinesOptions>(line);
  Result<Config> config = read_config(caller, serves_agent ? kAgentLifetime : kCommandLineLifetime,
                                      setting_flags(line));
  asio::io_context loop(1);
  Host host(caller, std::move(config), backends(loop.get_executor()));

  if (auto* exec = std::get_if<ExecOptions>(&line)) {
    return run_front(loop, exec_front(host, std::move(*exec), stdio), stdio, kExecFailed);
  }
  if (auto* call = std::get_if<CallOptions>(&line)) {
    return run_front(loop, call_front(host, std::move(*call), stdio), stdio, kCallFailed);
  }
  return run_front(loop, serve_lines(host, stdio), stdio, kCallFailed);
}

}  // namespace
}  // namespace talaria

int main(int argc, char** argv) {
  talaria::fill_standard_descriptors();
  ::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error of the write, not our end
  return talaria::run(talaria::parse_command_line({argv + 1, argv + argc}));
}
