#include "runner/shell_exit.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include "os/proc.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

constexpr std::size_t kShortName = 15;     // of a process, as the kernel keeps it
constexpr std::size_t kSignalColumn = 24;  // of bash's own line
constexpr std::size_t kPidColumn = 5;

std::string short_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1).substr(0, kShortName);
}

// bash says nothing of an interrupt and a closed pipe, and of TERM only this word.
std::string killed_line(const ShellHost& host, const EndedShell& ended, int signal) {
  if (ended.command.empty() || signal == SIGINT || signal == SIGPIPE) return {};
  std::string what = ::strsignal(signal);
  if (host.kind == ShellKind::sh || signal == SIGTERM) return what + "\n";
  what.resize(std::max(what.size(), kSignalColumn), ' ');
  if (WCOREDUMP(ended.wait_status)) what += "(core dumped) ";
  std::string pid = std::to_string(ended.pid);
  pid.insert(0, kPidColumn - std::min(kPidColumn, pid.size()), ' ');
  const std::string_view text = ended.command.substr(0, ended.command.find('\n'));
  return "bash: line 1: " + pid + " " + what + std::string(text.substr(0, kShownCommand)) + "\n";
}

}  // namespace

std::optional<ExitedProcess> find_exited(pid_t pid, pid_t parent) {
  auto stat = os::read_process_stat(pid);
  if (!stat || stat->state != 'Z' || stat->parent != parent) return std::nullopt;
  ExitedProcess exited{.wait_status{}, .program = std::move(stat->name)};
  const auto status = os::read_process_status(pid);
  const bool is_ours = status && status->effective_user == ::geteuid();
  if (is_ours || ::geteuid() == 0) exited.wait_status = stat->wait_status;
  return exited;
}

ShellExit shell_exit(const ShellHost& host, const EndedShell& ended) {
  if (!WIFSIGNALED(ended.wait_status)) return {Exited{WEXITSTATUS(ended.wait_status)}};
  const int signal = WTERMSIG(ended.wait_status);
  const bool is_shell = ended.program.empty() || ended.program == short_name(host.shell_path);
  if (is_shell) return {Signaled{signal}};
  return {Exited{128 + signal}, killed_line(host, ended, signal)};
}

bool is_sigkill(const ExitStatus& status) {
  if (const auto* killed = std::get_if<Signaled>(&status)) return killed->signal == SIGKILL;
  return std::get<Exited>(status).code == 128 + SIGKILL;
}

}  // namespace talaria::runner
