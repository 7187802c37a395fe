#include "sandboxes/exec_result.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace talaria::sandboxes {
namespace {

bool lost_its_target(const ProcessInfo& process) {
  return process.ended == ProcessEnd::lost || process.source == "runner_stop";
}

}  // namespace

void add_line(ExecInfo& exec, std::string_view line) {
  if (!exec.output.empty() && !exec.output.ends_with('\n')) exec.output += '\n';
  exec.output += line;
}

void set_ended(ExecInfo& exec, const ProcessInfo& process) {
  exec.reason.clear();
  exec.output_bytes = process.output_bytes;
  if (lost_its_target(process)) {
    exec.state = ExecState::failed;
    exec.returncode = kExecNotRun;
    exec.reason = "the sandbox was lost while the command ran; how it ended is unknown";
  } else if (process.ended == ProcessEnd::exited) {
    exec.state = ExecState::completed;
    exec.returncode = process.exit_code;
  } else if (process.source == "max_age") {
    exec.state = ExecState::timeout;
    exec.returncode = kExecTimedOut;
  } else {
    exec.state = ExecState::cancelled;
    exec.returncode = kExecCancelled;
  }
}

void set_failed(ExecInfo& exec, std::string reason, int returncode) {
  exec.state = ExecState::failed;
  exec.returncode = returncode;
  exec.reason = std::move(reason);
  exec.output = exec.reason;
}

void set_cancelled(ExecInfo& exec) {
  exec.state = ExecState::cancelled;
  exec.returncode = kExecCancelled;
  exec.reason.clear();
}

void set_output(ExecInfo& exec, std::string_view head, std::string_view tail,
                std::uint64_t tail_from) {
  exec.truncated = tail_from > 0;
  if (!exec.truncated) {
    exec.output = sanitize_utf8(tail);
  } else {
    const std::uint64_t missing = tail_from - std::min<std::uint64_t>(head.size(), tail_from);
    exec.output = sanitize_utf8(without_cut_end(head));
    exec.output += "\n[... " + std::to_string(missing) + " bytes of output left out ...]\n";
    exec.output += sanitize_utf8(without_cut_start(tail));
  }
  if (exec.state == ExecState::failed) add_line(exec, exec.reason);
}

}  // namespace talaria::sandboxes

namespace talaria {

std::string_view exec_state_name(ExecState state) {
  switch (state) {
    case ExecState::queued:
      return "queued";
    case ExecState::running:
      return "running";
    case ExecState::cancelling:
      return "cancelling";
    case ExecState::completed:
      return "completed";
    case ExecState::failed:
      return "failed";
    case ExecState::cancelled:
      return "cancelled";
    case ExecState::timeout:
      return "timeout";
  }
  return "failed";
}

}  // namespace talaria
