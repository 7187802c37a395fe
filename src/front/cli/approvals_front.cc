#include <talaria/audit.h>
#include <talaria/home.h>

#include <boost/json/array.hpp>

#include "base/text.h"
#include "base/visible_text.h"
#include "front/approval_json.h"
#include "front/cli/fronts.h"
#include "front/cli/report.h"
#include "front/cli/table.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

namespace json = boost::json;

// Who waits, and who is gone.
std::string asker_text(const QueuedApproval& one) {
  const std::string program = "the program that asked (pid " + std::to_string(one.pid) + ")";
  if (one.waited_for) return program + " waits for the answer";
  if (one.asker_gone)
    return program + " has ended; your answer applies once, when the same call comes again";
  return program + " does not wait; your answer applies once, when the same call comes again";
}

// "denied", "approved once", "approved 2 commands for 1h".
std::string answer_text(const ApprovalAnswer& answer, const std::string& what = "") {
  const std::string object = what.empty() ? "" : " " + what;
  if (answer.word == "deny") return "denied" + object;
  const bool timed = answer.lasts.count() > 0;
  std::string how = " once";
  if (answer.word == "session") how = timed ? "" : " for the rest of the session";
  if (answer.word == "always") how = timed ? "" : " always";
  if (timed) how += " for " + duration_text(answer.lasts);
  if (!answer.covers.empty()) how += ", covering the " + answer.covers;
  return "approved" + object + how;
}

// Shows the whole command: a person must see it to approve it.
std::string approval_text(const QueuedApproval& one, const TextStyle& style) {
  const ApprovalRequest& request = one.request;
  const bool open = one.state == ApprovalState::open;
  std::string text =
      dressed(request.id, Look::bold, style) + "  " + one_line(request.description) + "\n  in " +
      (request.cwd.empty() ? "a directory that is not known yet"
                           : one_line(visible_text(request.cwd))) +
      ", task " + quoted_name(one_line(visible_text(request.task))) + ", target " +
      one_line(request.target) + "\n  session " + one_line(visible_text(request.session_key)) +
      ", " + age_text(one.created) + " ago, " + std::string(approval_state_name(one.state));
  if (!one.answer.word.empty()) text += ": " + answer_text(one.answer);
  if (open) text += "\n  " + asker_text(one);
  text += "\n" + quoted_lines(visible_text(request.command));
  for (const ApprovalDetail& detail : request.details) {
    text += "  " + one_line(visible_text(detail.name)) + ":\n" +
            quoted_lines(visible_text(detail.text));
  }
  if (!open) return text;
  for (const std::string& notice : request.notices) text += "  " + one_line(notice) + "\n";
  if (!request.offers.empty()) text += "  With --session, --always or --for, you also approve:\n";
  for (const GrantOffer& offer : request.offers) {
    const bool usual = offer.covers == "command";
    text += (usual ? "    by default: " : "    --covers " + offer.covers + ": ") +
            one_line(visible_text(offer.sentence)) + "\n";
  }
  return text;
}

// What an answer covers beyond the call that asked.
std::string covered(const QueuedApproval& answered) {
  const ApprovalAnswer& answer = answered.answer;
  if (answer.word != "session" && answer.word != "always") return "";
  for (const GrantOffer& offer : answered.request.offers) {
    const bool chosen =
        answer.covers.empty() ? offer.covers == "command" : offer.covers == answer.covers;
    if (!chosen) continue;
    return "When this call has run, it also covers " + one_line(visible_text(offer.sentence)) +
           ".\n";
  }
  return "It covers this call only, because the directory of the session is not known.\n";
}

json::object answer_json(const Result<QueuedApproval>& answered, const std::string& id) {
  if (answered) return describe(*answered);
  return {{"id", id},
          {"error", answered.error().message()},
          {"kind", kind_name(answered.error().kind())}};
}

int answer_all(const AnswerOptions& options, const Stdio& stdio) {
  const Home home;
  const auto open = home.approvals();
  if (!open) return report_error(open.error(), options.json, stdio);
  json::array done;
  std::size_t count = 0;
  for (const QueuedApproval& one : *open) {
    const auto answered = home.answer_approval(one.request.id, options.answer);
    if (answered) ++count;
    done.push_back(answer_json(answered, one.request.id));
    if (!options.json && !answered) complain(stdio, answered.error().message());
  }
  const std::size_t failed = done.size() - count;
  int code = 0;
  if (options.json) {
    code = report_line({{"count", count}, {"approvals", std::move(done)}}, stdio);
  } else if (count > 0) {
    code = report_text(answer_text(options.answer, counted(count, "command")) + "\n", stdio);
  } else if (failed == 0) {
    code = report_text("No command waits for approval.\n", stdio);
  }
  return failed == 0 ? code : kFailed;
}

// Those whose ID begins with `id`, with or without "appr_"; only that one if it is complete.
std::vector<std::string> begin_with(const std::vector<QueuedApproval>& approvals,
                                    const std::string& id) {
  std::vector<std::string> found;
  for (const QueuedApproval& one : approvals) {
    const std::string& whole = one.request.id;
    if (whole == id) return {id};
    if (whole.starts_with(id) || whole.substr(whole.find('_') + 1).starts_with(id)) {
      found.push_back(whole);
    }
  }
  return found;
}

// The question that `id` means: an open one, else one that was answered.
Result<std::string> meant_question(const Home& home, const std::string& id) {
  const auto open = home.approvals();
  if (!open) return fail(open.error());
  std::vector<std::string> found = begin_with(*open, id);
  const bool waits = !found.empty();
  if (!waits && id.empty()) return fail(ErrorKind::not_found, "no command waits for approval");
  if (!waits) {
    const auto all = home.approvals(true);
    if (!all) return fail(all.error());
    found = begin_with(*all, id);
  }
  if (found.empty()) return id;
  if (found.size() == 1) return found.front();
  if (!waits) {
    return fail(ErrorKind::bad_request, "no waiting command begins with '" + id + "'; " +
                                            std::to_string(found.size()) +
                                            " were already answered");
  }
  std::string list;
  for (const std::string& one : found) list += (list.empty() ? "" : ", ") + one;
  return fail(ErrorKind::bad_request, counted(found.size(), "command") +
                                          " wait for approval; name one of " + list +
                                          (id.empty() ? ", or use --all" : ""));
}

// A string as it is, anything else as JSON.
std::string text_of(const json::object& line, std::string_view name) {
  const json::value* value = line.if_contains(name);
  if (!value || value->is_null()) return "";
  return value->is_string() ? std::string(value->get_string()) : to_line(*value);
}

// --json has all of it.
std::string shortened(const std::string& command) {
  constexpr std::size_t kMost = 200;
  const std::string_view head = first_chars(command, kMost);
  return head.size() == command.size() ? command : std::string(head) + "…";
}

// "exit 0", "started proc_...", "approved (user: once)", "refused (hardline)", "waits for
// approval".
std::string outcome_text(const json::object& line) {
  const std::string exit = text_of(line, "exit");
  if (text_of(line, "kind") == "command") {
    if (!exit.empty()) return "exit " + exit;
    return line.contains("process") ? "started " + text_of(line, "process") : "failed";
  }
  if (text_of(line, "reason") == "pending") return "waits for approval";
  const std::string answer = text_of(line, "answer");
  return (text_of(line, "approved") == "true" ? "approved (" : "refused (") +
         text_of(line, "reason") + (answer.empty() ? "" : ": " + answer) + ")";
}

}  // namespace

int run_command(const ApprovalsOptions& options, const Stdio& stdio) {
  const auto found = Home().approvals(options.all);
  if (!found) return report_error(found.error(), options.json, stdio);
  if (options.json) {
    json::array list;
    for (const QueuedApproval& one : *found) list.push_back(describe(one));
    return report_line({{"approvals", std::move(list)}}, stdio);
  }
  if (found->empty()) return report_text("No command waits for approval.\n", stdio);
  const TextStyle style = style_for(stdio.out);
  std::string text;
  for (const QueuedApproval& one : *found) text += approval_text(one, style);
  return report_text(text, stdio);
}

int run_command(const AnswerOptions& options, const Stdio& stdio) {
  if (options.all) return answer_all(options, stdio);
  const Home home;
  const auto id = meant_question(home, options.id);
  if (!id) return report_error(id.error(), options.json, stdio);
  const auto answered = home.answer_approval(*id, options.answer);
  if (!answered) return report_error(answered.error(), options.json, stdio);
  if (options.json) return report_line(describe(*answered), stdio);
  return report_text(answer_text(options.answer, *id) + "\n" + covered(*answered), stdio);
}

int run_command(const AuditOptions& options, const Stdio& stdio) {
  Table table({"TIME", "TASK", "TARGET", "WHAT", "COMMAND"});
  bool failed = false;
  bool any = false;
  const auto read = read_audit(
      Home().directory(),
      {.since = options.since, .task = options.task, .decisions_only = options.decisions_only},
      [&](std::string_view line) {
        any = true;
        if (options.json) {
          failed = !write_output(stdio, std::string(line) + "\n");
          return !failed;
        }
        const auto entry = parse_object(line, "a line of the log");
        if (!entry) return true;
        table.add({text_of(*entry, "time"), text_of(*entry, "task"), text_of(*entry, "target"),
                   outcome_text(*entry), shortened(visible_text(text_of(*entry, "command")))});
        return true;
      });
  if (!read) return report_error(read.error(), options.json, stdio);
  if (failed) return kFailed;
  if (options.json) return 0;
  if (any) return report_text(table.drawn(style_for(stdio.out)), stdio);
  const bool filtered = !options.since.empty() || !options.task.empty() || options.decisions_only;
  return report_text(
      filtered ? "The audit log has no such entries.\n" : "The audit log is empty.\n", stdio);
}

}  // namespace talaria::front::cli
