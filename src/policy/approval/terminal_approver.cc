#include "policy/approval/terminal_approver.h"

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "base/visible_text.h"
#include "os/terminal_question.h"
#include "policy/approval/grants.h"

namespace talaria::policy {
namespace {

// Behind that many lines the reason may have left the screen.
constexpr std::size_t kLinesAtAGlance = 15;

std::string one_line(std::string_view text) {
  std::string line = visible_text(text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

// Lines of a command, each marked as such: none can pass for ours. Empty ones are counted where
// they are many: they would push the others off the screen.
std::string quoted_lines(std::string_view text) {
  constexpr std::size_t kMostEmpty = 2;
  std::string quoted;
  std::size_t empty = 0;
  const auto show_empty = [&] {
    if (empty > kMostEmpty) quoted += "  : " + std::to_string(empty) + " empty lines\n";
    for (; empty > 0 && empty <= kMostEmpty; --empty) quoted += "  | \n";
    empty = 0;
  };
  for (std::size_t at = 0; at <= text.size();) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    if (trim(line).empty()) {
      ++empty;
      continue;
    }
    show_empty();
    quoted += "  | " + std::string(line) + "\n";
  }
  show_empty();
  return quoted;
}

// A session without a name ends with its program, and often that is one command.
bool has_session(const ApprovalRequest& request) { return request.session_key != kNamelessSession; }

Task<void> ask_there(std::shared_ptr<os::TerminalQuestion> terminal, ApprovalRequest request,
                     ApprovalReply reply) {
  const auto line =
      co_await terminal->ask(approval_question(request, os::TerminalQuestion::has_colours()),
                             os::TerminalQuestion::Typing::shown);
  if (!reply.wanted()) co_return;
  const std::string_view answer = typed_answer(line ? line->view() : std::string_view(), request);
  if (answer == "deny") terminal->say("talaria: it is not run\n");
  reply(answer);
}

}  // namespace

std::string approval_question(const ApprovalRequest& request, bool colour) {
  const std::string command =
      colour ? visible_text(request.command, "\x1b[7m", "\x1b[27m") : visible_text(request.command);
  const std::string reason = one_line(request.description);
  const std::string title = "talaria: this command needs your approval";
  std::string text = "\n" + (colour ? "\x1b[1m" + title + "\x1b[0m" : title) + " (" + reason +
                     ")\n  at target " + one_line(request.target);
  if (!request.cwd.empty()) text += ", in " + one_line(request.cwd);
  text += "\n" + quoted_lines(command);
  const auto lines = static_cast<std::size_t>(std::ranges::count(command, '\n')) + 1;
  if (lines > kLinesAtAGlance) text += "  (" + std::to_string(lines) + " lines; " + reason + ")\n";
  text += "Run it? [o]nce";
  if (has_session(request)) text += ", [s]ession";
  if (request.allow_permanent) text += ", [a]lways such commands here";
  return text + ", anything else: no (" + std::to_string(request.timeout.count()) + " s): ";
}

std::string_view typed_answer(std::string_view line, const ApprovalRequest& request) {
  const std::string word = lower_case(trim(line));
  const std::string_view for_now = has_session(request) ? "session" : "once";
  if (word == "o" || word == "once") return "once";
  if (word == "s" || word == "session") return for_now;
  if (word == "a" || word == "always") return request.allow_permanent ? "always" : for_now;
  return "deny";
}

void ask_at_terminal(const asio::any_io_executor& executor, const ApprovalRequest& request,
                     const ApprovalReply& reply) {
  const auto terminal = os::TerminalQuestion::open(executor);
  if (!terminal) return reply("deny");
  // Printed here, not in ask_there: the program may end before that continues.
  reply.on_unwanted([there = std::weak_ptr<os::TerminalQuestion>(*terminal)] {
    const auto still = there.lock();
    if (!still) return;
    still->say("\ntalaria: an answer is no longer needed\n");
    still->give_up();
  });
  spawn(executor, ask_there(*terminal, request, reply));
}

}  // namespace talaria::policy
