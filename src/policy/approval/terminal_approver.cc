#include "policy/approval/terminal_approver.h"

#include <algorithm>
#include <memory>

#include "base/duration.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "os/terminal_question.h"
#include "policy/approval/grants.h"

namespace talaria::policy {
namespace {

// Behind that many lines the reason may have left the screen.
constexpr std::size_t kLinesAtAGlance = 15;

// Where it would run, as every question says it.
std::string shown_place(const ApprovalRequest& request) {
  const std::string directory =
      request.cwd.empty() ? "a directory that is not known yet" : visible_line(request.cwd);
  return directory + ", task " + quoted_name(visible_line(request.task)) + ", target " +
         visible_line(request.target);
}

// A session without a name ends with its program, and often that is one command.
bool has_session(const ApprovalRequest& request) {
  return request.session_key != kNamelessSession && !request.offers.empty();
}
bool has_always(const ApprovalRequest& request) {
  return request.allow_permanent && !request.offers.empty();
}

// The answers that can be typed, and what each would cover.
std::string choices_of(const ApprovalRequest& request) {
  const bool session = has_session(request);
  const bool always = has_always(request);
  if (!session && !always) return "";
  const std::string key = always ? "a" : "s";
  std::string text;
  for (const GrantOffer& one : request.offers) {
    const bool narrowest = &one == &request.offers.front() && one.covers == "command";
    text += "  [" + key + (narrowest ? "" : " " + one.covers) + "] also " +
            visible_line(one.sentence) + "\n";
  }
  if (always) text += "  [a] has no time limit";
  if (session) text += always ? "; [s] instead of [a]" : "  [s]";
  if (session) text += " is for this session, at most a day";
  return text + "\n  Add a time to limit it: '" + key + " 1h'\n";
}

// What can be typed instead of a line that was not understood.
std::string answers_of(const ApprovalRequest& request) {
  const bool session = has_session(request);
  const bool always = has_always(request);
  if (!session && !always) return "Answer n or y.";
  const std::string key = always ? "a" : "s";
  std::string examples = key + " 1h";
  for (const GrantOffer& one : request.offers) {
    if (one.covers != "command") examples += ", " + key + " " + one.covers;
  }
  return std::string("Answer n, y") + (session && always ? ", s" : "") + " or " + key + " (" +
         examples + ").";
}

// Empty: it is none.
std::string_view offered_word(std::string_view word, const ApprovalRequest& request) {
  if (word.empty() || word == "n" || word == "no" || word == "d" || word == "deny") return "deny";
  if (word == "y" || word == "yes" || word == "o" || word == "once") return "once";
  const std::string_view for_now = has_session(request) ? "session" : "once";
  if (word == "s" || word == "session") return for_now;
  if (word == "a" || word == "always") return has_always(request) ? "always" : for_now;
  return "";
}

// The question, and again what can be answered until it is: a typing error does not refuse.
Task<void> ask_there(std::shared_ptr<os::TerminalQuestion> terminal, ApprovalRequest request,
                     ApprovalReply reply) {
  std::string question = approval_question(request, os::TerminalQuestion::has_colours());
  std::optional<ApprovalAnswer> answer;
  while (!answer) {
    const auto line =
        co_await terminal->ask(std::move(question), os::TerminalQuestion::Typing::shown);
    if (!reply.wanted()) co_return;
    answer = typed_answer(line ? line->view() : std::string_view(), request);
    question = answers_of(request) + " ";
  }
  if (answer->word == "deny") terminal->say("talaria: denied; the command was not run\n");
  reply(*answer);
}

}  // namespace

std::string approval_question(const ApprovalRequest& request, bool colour) {
  const std::string command =
      colour ? visible_text(request.command, "\x1b[7m", "\x1b[27m") : visible_text(request.command);
  const std::string reason = visible_line(request.description);
  const std::string title = "talaria: this command needs your approval";
  std::string text = "\n" + (colour ? "\x1b[1m" + title + "\x1b[0m" : title) + " (" + reason +
                     ")\n  in " + shown_place(request) + "\n" + quoted_lines(command);
  const auto lines = static_cast<std::size_t>(std::ranges::count(command, '\n')) + 1;
  if (lines > kLinesAtAGlance) text += "  (" + std::to_string(lines) + " lines; " + reason + ")\n";
  for (const ApprovalDetail& one : request.details) {
    text += "  " + visible_line(one.name) + ":\n" + quoted_lines(visible_text(one.text));
  }
  for (const std::string& notice : request.notices) text += "  " + visible_line(notice) + "\n";
  text += choices_of(request) + "Run it? [n]o, [y]es once";
  if (has_session(request)) text += ", [s]ession";
  if (has_always(request)) text += ", [a]lways";
  return text + " (" + std::to_string(request.timeout.count()) + " s): ";
}

std::optional<ApprovalAnswer> typed_answer(std::string_view line, const ApprovalRequest& request) {
  const std::string text = lower_case(trim(line));
  std::string_view rest = text;
  ApprovalAnswer answer{.word = std::string(offered_word(next_word(rest, ' '), request))};
  if (answer.word.empty()) return std::nullopt;
  const bool grants = answer.word == "session" || answer.word == "always";
  while (!rest.empty()) {
    const std::string_view word = next_word(rest, ' ');
    if (word.empty()) continue;
    const auto lasts = parse_duration(word);
    const auto offer = std::ranges::find(request.offers, word, &GrantOffer::covers);
    const bool known = grants && (lasts || offer != request.offers.end());
    if (!known) return std::nullopt;
    if (lasts) {
      answer.lasts = *lasts;
    } else {
      answer.covers = offer->covers;
    }
  }
  return answer;
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
