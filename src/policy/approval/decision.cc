#include "policy/approval/decision.h"

#include "base/sha256.h"

namespace talaria::policy {

std::string digest_of(const CommandQuestion& question, const shell::JudgedStart& start) {
  std::string all = question.command;
  const auto add = [&all](std::string_view kind, std::string_view text) {
    all.append(1, '\0').append(kind).append(text);
  };
  if (question.input.kind == guard::StartInput::Kind::open) add("open input", "");
  if (question.input.kind != guard::StartInput::Kind::none) add("input ", question.input.text);
  for (const std::string& variable : question.variables) add("variable ", variable);
  if (!question.judged.empty()) add("judged ", question.judged);
  for (const ApprovalDetail& one : question.details) add("detail ", one.name + '\0' + one.text);
  if (!start.definitions.empty()) add("definitions ", start.definitions);
  if (!start.facts.empty()) add("facts ", start.facts);
  return sha256_hex(all);
}

std::string_view reason_name(Reason reason) {
  switch (reason) {
    case Reason::harmless:
      return "harmless";
    case Reason::isolated:
      return "isolated";
    case Reason::forced:
      return "forced";
    case Reason::yolo:
      return "yolo";
    case Reason::mode_off:
      return "mode off";
    case Reason::cron_mode:
      return "cron";
    case Reason::headless:
      return "headless";
    case Reason::granted:
      return "granted";
    case Reason::user:
      return "user";
    case Reason::smart:
      return "smart";
    case Reason::unseen:
      return "unseen";
    case Reason::hardline:
      return "hardline";
    case Reason::sudo_stdin:
      return "sudo stdin";
    case Reason::rule:
      return "rule";
    case Reason::timeout:
      return "timeout";
    case Reason::not_asked:
      return "not asked";
    case Reason::pending:
      return "pending";
    case Reason::interrupted:
      return "interrupted";
  }
  return "";
}

std::string Decision::approval_text() const {
  if (!approved) return "";
  if (reason == Reason::user) {
    return "Command required approval (" + description + ") and was approved by the user.";
  }
  if (reason == Reason::smart) {
    return "Command was flagged (" + description + ") and auto-approved by smart approval.";
  }
  return "";
}

Error refusal(const Decision& decision, std::string message) {
  using By = Denial::By;
  By by = By::nobody;
  ErrorReason why = ErrorReason::not_asked;
  switch (decision.reason) {
    case Reason::hardline:
      by = By::hardline;
      why = ErrorReason::never_allowed;
      break;
    case Reason::sudo_stdin:
    case Reason::rule:
    case Reason::cron_mode:
    case Reason::headless:
      by = By::configuration;
      why = ErrorReason::forbidden;
      break;
    case Reason::user:
      by = By::person;
      why = ErrorReason::declined;
      break;
    case Reason::smart:
      by = By::program;
      why = ErrorReason::declined;
      break;
    case Reason::timeout:
      why = ErrorReason::no_answer;
      break;
    case Reason::pending:
      why = ErrorReason::pending;
      break;
    default:
      break;
  }
  return {why,
          Denial{.by = by,
                 .rule = std::string(decision.pattern_key()),
                 .rules = decision.rules,
                 .description = decision.description,
                 .approval = decision.id,
                 .words = decision.words},
          std::move(message)};
}

}  // namespace talaria::policy
