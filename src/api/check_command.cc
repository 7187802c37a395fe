#include "api/check_command.h"

#include <optional>
#include <string>

#include "base/limits.h"
#include "base/text.h"

namespace talaria {
namespace {

// A NUL byte ends every string of the kernel.
Result<void> check_text(const std::string& what, std::string_view text) {
  const std::size_t at = text.find('\0');
  if (at == std::string_view::npos) return {};
  return fail(ErrorKind::bad_request, what + ": a NUL byte at offset " + std::to_string(at) +
                                          ", which no shell can be given; write it as an escape");
}

Result<void> check_task(std::string_view task) {
  if (task.size() <= kMaxTaskBytes) return check_text("task", task);
  return fail(ErrorKind::limit, "task: " + std::to_string(task.size()) + " bytes, the limit is " +
                                    std::to_string(kMaxTaskBytes));
}

Result<void> check_timeout(std::chrono::milliseconds timeout) {
  if (timeout >= timeout.zero() && timeout <= kMaxDuration) return {};
  return fail(ErrorKind::bad_request, "timeout: expected 0 (none) to " +
                                          std::to_string(kMaxDuration.count()) + " seconds, got " +
                                          in_seconds(timeout));
}

Result<void> check_input(const std::optional<std::string>& input) {
  if (!input || input->size() <= kMaxStdinBytes) return {};
  return fail(ErrorKind::limit, "stdin_data: more than the limit of " +
                                    std::to_string(kMaxStdinBytes) +
                                    " bytes; put it in a file and let the command read that");
}

}  // namespace

Result<void> check_command(const Command& command) {
  if (command.task && command.task->empty()) {
    return fail(ErrorKind::bad_request, "task: empty; leave it out for no session");
  }
  for (const Result<void>& found :
       {check_text("text", command.text), check_task(command.task.value_or("")),
        check_text("workdir", command.workdir.value_or("")), check_timeout(command.timeout),
        check_input(command.stdin_data)}) {
    if (!found) return found;
  }
  return {};
}

Result<void> check_context(const CallContext& context) {
  if (const Result<void> task = check_task(context.task); !task) return task;
  for (const std::string& variable : context.variables) {
    if (const Result<void> text = check_text("variables", variable); !text) return text;
  }
  return check_text("session_key", context.session_key);
}

}  // namespace talaria
