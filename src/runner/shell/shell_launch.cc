#include "runner/shell/shell_launch.h"

#include <sys/resource.h>

#include <algorithm>
#include <span>

#include "os/channel.h"
#include "os/file.h"
#include "os/random.h"
#include "os/signal.h"
#include "runner/limits.h"
#include "shell/dump.h"
#include "shell/script.h"
#include "shell/sh_script.h"

namespace talaria::runner {
namespace {

constexpr int kOutputPipeSize = 256 * 1024;
constexpr std::size_t kShellNonceBytes = 12;
constexpr std::uint64_t kArgumentOffset = sizeof "bash" + sizeof "-c";
constexpr std::size_t kCheckedRoom = 64;  // of the blanks: enough to know that it is the place

Result<void> open_channels(Shell& shell) {
  auto go = os::make_pipe();
  if (!go) return fail(go.error());
  shell.go_reader = std::move(go->reader);
  shell.go_writer = std::move(go->writer);
  return {};
}

// What a shell reads and prints, both ends of each.
struct Streams {
  os::UniqueFd shell_input;  // none: /dev/null
  os::UniqueFd shell_output;
  os::UniqueFd writer;
  os::UniqueFd reader;
};

Result<Streams> make_pipes(bool with_stdin) {
  auto output = os::make_pipe(kOutputPipeSize);
  if (!output) return fail(output.error());
  os::Pipe input;
  if (with_stdin) {
    auto made = os::make_pipe();
    if (!made) return fail(made.error());
    input = std::move(*made);
  }
  return Streams{.shell_input = std::move(input.reader),
                 .shell_output = std::move(output->writer),
                 .writer = std::move(input.writer),
                 .reader = std::move(output->reader)};
}

Result<Streams> make_terminal(os::WindowSize size) {
  const auto refuse = [](const Error& error) {
    return fail(Error(ErrorKind::unavailable,
                      "cannot open a terminal for this command: " + error.message() +
                          "; run it without one, or mount /dev/pts",
                      error.code()));
  };
  auto pty = os::open_pty(size);
  if (!pty) return refuse(pty.error());
  auto writer = os::duplicate(pty->master.get());
  auto output = os::duplicate(pty->terminal.get());
  if (!writer) return refuse(writer.error());
  if (!output) return refuse(output.error());
  return Streams{.shell_input = std::move(pty->terminal),
                 .shell_output = std::move(*output),
                 .writer = std::move(*writer),
                 .reader = std::move(pty->master)};
}

// What Linux lets a program start with: at most a quarter of its stack, for all strings together.
std::size_t room_for_environment() {
  constexpr std::size_t kLeast = 128u << 10;
  constexpr std::size_t kMost = 6u << 20;
  constexpr std::size_t kForArguments = shell::kLongestArgument + shell::kCommandRoom + (16u << 10);
  rlimit stack{};
  const std::size_t room = ::getrlimit(RLIMIT_STACK, &stack) == 0 ? stack.rlim_cur / 4 : kMost;
  const std::size_t usable = std::clamp(room, kLeast, kMost);
  return usable - std::min(usable, kForArguments);
}

// No program can be started with them, so the shell sets them itself; what it then starts fails as
// it would anywhere.
void leave_out_what_does_not_fit(shell::NameMap& variables) {
  const auto size_of = [](const auto& entry) {
    return entry.first.size() + entry.second.size() + sizeof "=" + sizeof(char*);
  };
  std::size_t total = 0;
  for (const auto& entry : variables) total += size_of(entry);
  static const std::size_t room = room_for_environment();
  while (!variables.empty()) {
    const auto largest = std::ranges::max_element(variables, {}, size_of);
    if (total <= room && size_of(*largest) <= shell::kLongestArgument) return;
    total -= size_of(*largest);
    variables.erase(largest->first);
  }
}

std::string argument_for(const ShellHost& host, const LaunchOptions& options) {
  if (!options.command) return {};
  return host.kind == ShellKind::sh ? shell::sh_argument(*options.command)
                                    : shell::command_argument(*options.command);
}

// What goes through the pipe: the text, or the way to it.
Result<std::string> go_message(const ShellHost& host, Shell& shell, const std::string& text) {
  const bool is_sh = host.kind == ShellKind::sh;
  if (!is_sh && shell::fits_go_pipe(text)) return shell::through_go_pipe(text);
  auto file = os::make_memory_file("talaria-go", text);
  if (!file) return fail(file.error());
  shell.go_text = std::move(*file);
  const std::string path = host.path_of(shell.go_text.get());
  return is_sh ? path + "\n" : shell::through_go_pipe(shell::read_go_file(path));
}

}  // namespace

Result<std::shared_ptr<const PreparedState>> prepare_state(
    const ShellHost& host, shell::ShellState state,
    const std::shared_ptr<const PreparedState>& previous) {
  const bool same_prelude = previous && previous->state.functions == state.functions &&
                            previous->state.aliases == state.aliases &&
                            previous->state.options == state.options &&
                            previous->prelude->is_there();
  if (same_prelude && previous->state.variables == state.variables) return previous;
  Result<std::shared_ptr<const Prelude>> prelude =
      same_prelude ? previous->prelude : host.preludes->make(state);
  if (!prelude) {  // no room on disk, most likely
    auto spare = host.preludes->spare();
    if (!spare || !shell::can_become({}, state)) return fail(prelude.error());
    prelude = std::move(spare);
    state.functions = {};
    state.aliases = {};
    state.options = {};
  }
  leave_out_what_does_not_fit(state.variables);
  std::string environment = shell::environment_block(state);
  return std::make_shared<const PreparedState>(std::move(state), std::move(*prelude),
                                               std::move(environment));
}

Result<Shell> launch_shell(const ShellHost& host, std::shared_ptr<const PreparedState> start,
                           const LaunchOptions& options) {
  Shell shell{.start = std::move(start), .warm = !options.command};
  if (const auto opened = open_channels(shell); !opened) return fail(opened.error());
  auto streams =
      options.terminal ? make_terminal(*options.terminal) : make_pipes(options.with_stdin);
  if (!streams) return fail(streams.error());
  shell.terminal = options.terminal;
  if (streams->shell_input) shell.input = os::input_id(streams->shell_input.get());
  const ReaperSpec spec{
      .path = host.shell_path,
      .argv = {host.kind == ShellKind::sh ? "sh" : "bash", "-c", argument_for(host, options)},
      .env = shell.start->environment + shell::go_variable(host.path_of(shell.go_reader.get())),
      .cwd = shell.start->prelude->directory(),
      .cgroup = host.cgroup_stem,
      .descriptors = host.soft_descriptors,
      .has_room = shell.warm && host.warm,
      .on_terminal = shell.terminal.has_value()};
  auto channel = host.nursery->spawn(spec, streams->shell_input.get(), streams->shell_output.get());
  if (!channel) return fail(channel.error());
  shell.channel = std::move(*channel);
  shell.nursery = host.nursery->generation();
  shell.output = std::move(streams->reader);
  shell.stdin_writer = std::move(streams->writer);
  return shell;
}

Result<void> Shell::open_errors(bool apart) {
  if (!apart) return {};
  auto pipe = os::make_pipe();
  if (!pipe) return fail(pipe.error());
  errors = std::move(pipe->reader);
  errors_writer = std::move(pipe->writer);
  return {};
}

void Shell::let_go_of_texts() {
  start.reset();
  dump.reset();
  go_text.reset();
  go_reader.reset();
  go_writer.reset();
  errors_writer.reset();
}

bool open_room(Shell& shell) {
  static const std::string expected =
      std::string("bash\0-c\0", kArgumentOffset) + shell::command_room().substr(0, kCheckedRoom);
  if (shell.arguments) return true;
  if (!shell.warm || shell.pid <= 0) return false;
  auto opened = os::open_arguments(shell.pid, expected);
  if (opened) shell.arguments = std::move(*opened);
  return shell.arguments.has_value();
}

bool can_take(Shell& shell, const shell::ShellState& to, std::string_view command) {
  // Without its prelude it would run the command and never wait.
  return command.size() < shell::kCommandRoom && shell::can_become(shell.start->state, to) &&
         open_room(shell) && shell.start->prelude->is_there();
}

Result<void> dispatch(const ShellHost& host, Shell& shell, const shell::ShellState& to,
                      std::string_view command, bool keep_state, int judged_directory) {
  if (shell.warm) {
    std::string argument(command);
    argument.resize(shell::kCommandRoom, '\0');  // what is left of the room must not show in `ps`
    if (const auto written = os::write_argument(*shell.arguments, kArgumentOffset, argument);
        !written) {
      return fail(written.error());
    }
    shell.arguments.reset();
    os::continue_process(shell.pid);
  }
  if (keep_state) {
    auto dump = os::make_memory_file("talaria-dump");
    if (!dump) return fail(dump.error());
    shell.dump = std::move(*dump);
    shell.nonce = os::random_hex(kShellNonceBytes);
  }
  shell::Dispatch call{
      .command = command,
      .set_execution_string = shell.warm || command.size() > shell::kLongestArgument,
      .restart_clock = shell.warm,
      .nonce = shell.nonce,
      .dump_path = keep_state ? host.path_of(shell.dump.get()) : std::string(),
      .errors_path = shell.errors_writer ? host.path_of(shell.errors_writer.get()) : std::string(),
      .directory_path = judged_directory >= 0 ? host.path_of(judged_directory) : std::string()};
  const auto text_for = host.kind == ShellKind::sh ? shell::sh_go_text : shell::go_text;
  const auto message = go_message(host, shell, text_for(shell.start->state, to, call));
  if (!message) return fail(message.error());
  const auto written = os::write_all(shell.go_writer.get(), *message);
  shell.go_writer.reset();
  return written;
}

Result<std::optional<FromReaper>> next_report(Shell& shell) {
  FromReaper report;
  auto received =
      os::receive_message(shell.channel.get(), std::as_writable_bytes(std::span(&report, 1)));
  if (!received) return fail(received.error());
  if (!received->has_value()) return std::nullopt;
  if ((*received)->size != sizeof report) {
    return fail(ErrorKind::unavailable, "the command's reaper is gone");
  }
  if (report.report == ReaperReport::started) {
    shell.pid = report.pid;
    shell.reaper = report.reaper;
  }
  return report;
}

Result<void> order_kill(const Shell& shell, std::uint32_t grace_ms) {
  const ToReaper order{.order = ReaperOrder::kill, .grace_ms = grace_ms};
  return os::send_message(shell.channel.get(), std::as_bytes(std::span(&order, 1)));
}

Result<void> order_signal(const Shell& shell, int signal) {
  const ToReaper order{.order = ReaperOrder::signal, .signal = signal};
  return os::send_message(shell.channel.get(), std::as_bytes(std::span(&order, 1)));
}

Result<shell::ShellState> read_dump(const ShellHost& host, const Shell& shell) {
  const auto dump = os::read_whole(shell.dump.get(), kLargestDump);
  if (!dump) return fail(dump.error());
  auto state = shell::parse_dump(*dump, shell.nonce, host.defaults);
  if (!state) return fail(state.error());
  erase_if(state->functions,
           [](const auto& entry) { return shell::is_trap_helper(entry.first, entry.second); });
  return state;
}

}  // namespace talaria::runner
