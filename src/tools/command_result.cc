#include "tools/command_result.h"

#include <boost/json/array.hpp>

#include "base/ansi.h"
#include "base/text.h"
#include "policy/redact.h"
#include "tools/shown_output.h"

namespace talaria::tool {
namespace {

// What we add to the output of a command that did not end by itself.
std::string note(const environment::CommandOutcome& outcome, std::chrono::milliseconds timeout) {
  if (!outcome.handed_over.empty()) {
    return "\n[Command still runs after " + in_seconds(timeout) +
           "s; it continues in the background as " + outcome.handed_over + "]";
  }
  if (outcome.ended == CommandEnd::interrupted) return "\n[Command interrupted]";
  if (outcome.ended != CommandEnd::timed_out) return "";
  const std::string text = timeout_note(timeout);
  return outcome.total == 0 ? text : "\n" + text;
}

ShownOutput present(const environment::CommandOutcome& outcome, const Presentation& presentation) {
  const std::string our_note = note(outcome, presentation.timeout);
  const OutputLimit limit{.max_chars = presentation.max_output_chars, .mask = presentation.redact};
  if (presentation.transform) {
    const ShownOutput whole = shown_output(outcome, our_note, {std::string::npos});
    if (auto text = presentation.transform(whole.text, result_code(outcome))) {
      return cut_text(sanitize_utf8(*text), limit);
    }
  }
  return shown_output(outcome, our_note, limit);
}

json::string safe(std::string_view text) { return json::string(sanitize_utf8(text)); }

json::object common(std::string_view output, json::value exit_code, json::value error,
                    const CallFacts& facts) {
  json::object result;
  result["output"] = output;
  result["exit_code"] = std::move(exit_code);
  result["error"] = std::move(error);
  result["target"] = safe(facts.target);
  result["transport"] = facts.transport ? json::value(*facts.transport) : json::value(nullptr);
  result["duration_ms"] = std::chrono::round<std::chrono::milliseconds>(facts.duration).count();
  return result;
}

std::string spill_notice(const environment::CommandOutcome& outcome) {
  if (outcome.spill_path.empty()) {
    return "The omitted output was not kept: there is no file with the full output.";
  }
  if (outcome.spill_from == 0 && outcome.spill_to >= outcome.total) return "";
  return "The file with the full output reached its quota: it holds bytes " +
         std::to_string(outcome.spill_from) + " to " + std::to_string(outcome.spill_to) + " of " +
         std::to_string(outcome.total) + ".";
}

void add_cut(json::object& result, const environment::CommandOutcome& outcome,
             std::vector<std::string>& notices) {
  result["output_total_bytes"] = outcome.total;
  if (!outcome.spill_path.empty()) result["full_output_path"] = safe(outcome.spill_path);
  if (const std::string notice = spill_notice(outcome); !notice.empty()) {
    notices.push_back(notice);
  }
}

}  // namespace

std::string timeout_note(std::chrono::milliseconds timeout) {
  return "[Command timed out after " + in_seconds(timeout) + "s]";
}

json::array describe_leftovers(const std::vector<Leftover>& survivors) {
  json::array list;
  for (const Leftover& survivor : survivors) {
    list.push_back(
        {{"pid", survivor.pid}, {"name", safe(survivor.name)}, {"reason", safe(survivor.reason)}});
  }
  return list;
}

int result_code(const environment::CommandOutcome& outcome) {
  switch (outcome.ended) {
    case CommandEnd::timed_out:
      return kTimedOutCode;
    case CommandEnd::interrupted:
      return kInterruptedCode;
    case CommandEnd::exited:
      break;
  }
  return exit_code_of(outcome.status);
}

json::object describe_outcome(const environment::CommandOutcome& outcome, const CallFacts& facts,
                              const Presentation& presentation) {
  const ShownOutput shown = present(outcome, presentation);
  const std::string text = presentation.for_model ? strip_ansi(shown.text) : shown.text;
  const std::string_view trimmed = trim(text);
  const std::string output = presentation.redact ? policy::redact(trimmed) : std::string(trimmed);
  const bool goes_on = !outcome.handed_over.empty();
  json::object result =
      common(output, goes_on ? json::value(nullptr) : result_code(outcome), nullptr, facts);
  if (goes_on) {
    result["status"] = "running";
    result["session_id"] = outcome.handed_over;
  }
  std::vector<std::string> notices = outcome.notices;
  if (outcome.oom_killed) {
    result["oom_killed"] = true;
    notices.emplace_back(
        "The memory of the target was used up, and the kernel killed the command. Files in memory "
        "(such as /tmp, and /workspace of a container without persistence) count as memory.");
  }
  if (shown.cut) add_cut(result, outcome, notices);
  if (!outcome.survivors.empty()) result["survivors"] = describe_leftovers(outcome.survivors);
  if (outcome.background_children > 0) {
    result["background_children"] = outcome.background_children;
  }
  add_notices(result, notices);
  return result;
}

json::object describe_started(std::string_view text, const CallFacts& facts) {
  return common(text, 0, nullptr, facts);
}

void add_notices(json::object& result, const std::vector<std::string>& notices) {
  if (notices.empty()) return;
  json::array list;
  for (const std::string& notice : notices) list.emplace_back(safe(notice));
  result["notices"] = std::move(list);
}

json::object describe_refused(const policy::Decision& decision, const std::string& command,
                              const CallFacts& facts) {
  if (decision.reason != policy::Reason::pending) {
    return describe_not_run(decision.message, "blocked", facts);
  }
  json::object result = describe_not_run("", "pending_approval", facts);
  result["command"] = safe(command);
  add_question(result, decision);
  return result;
}

std::string refusal_text(const policy::Decision& decision) {
  if (decision.reason != policy::Reason::pending) return decision.message;
  return decision.message + "\nTo run it once: 'talaria approve " + decision.id +
         "', then send the same call again.";
}

std::string not_started_text(const policy::Decision& decision) {
  if (decision.reason != policy::Reason::pending) return decision.message;
  return "not started: the command needs approval (" + decision.description +
         "). Approve it with 'talaria approve " + decision.id + "', then run it again.";
}

void add_question(json::object& result, const policy::Decision& decision) {
  if (decision.reason != policy::Reason::pending) return;
  result["approve_with"] = "talaria approve " + decision.id;
  result["approval_pending"] = true;
  result["description"] = safe(decision.description);
  result["pattern_key"] = safe(decision.pattern_key());
  result["approval_id"] = decision.id;
}

void add_approval(json::object& result, const policy::Decision& decision) {
  if (const std::string text = decision.approval_text(); !text.empty()) {
    result["approval"] = safe(text);
  }
}

json::object describe_not_run(std::string_view error, std::string_view status,
                              const CallFacts& facts) {
  json::object result = common("", kNotRunCode, safe(error), facts);
  if (!status.empty()) result["status"] = status;
  return result;
}

}  // namespace talaria::tool
