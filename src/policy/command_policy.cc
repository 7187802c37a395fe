#include "policy/command_policy.h"

#include <unistd.h>

#include <utility>

#include <boost/json/array.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "policy/redact.h"

namespace talaria::policy {
namespace {

host::AuditConfig audit_of(const Result<host::Config>& config) {
  return config ? config->audit : host::AuditConfig{.enabled = false};
}

// Always without secrets: the log outlives the reason for which they were typed.
std::string shown_command(const std::string& command) {
  return redact_command(command, kMaxAuditCommandBytes) +
         (command.size() > kMaxAuditCommandBytes ? "..." : "");
}

}  // namespace

CommandPolicy::CommandPolicy(host::Settings& settings, host::Environments& environments,
                             host::Journal& journal, const host::Interaction& people, Judge judge,
                             std::string front)
    : approvals_(settings, environments, journal.ledger(), people, std::move(judge)),
      audit_(settings.config() ? settings.config()->home : "", audit_of(settings.config())),
      front_(std::move(front)),
      user_(settings.caller().user()) {}

json::object CommandPolicy::line_for(std::string_view kind, const CommandQuestion& question,
                                     const Decision& decision) const {
  json::object line{{"kind", kind},
                    {"session_key", Approvals::session_of(question)},
                    {"user", user_},
                    {"pid", ::getpid()},
                    {"front", front_},
                    {"task", question.task},
                    {"target", question.target},
                    {"cwd", question.cwd},
                    {"command", shown_command(question.command)},
                    {"approved", decision.approved},
                    {"reason", reason_name(decision.reason)}};
  if (!decision.rules.empty()) {
    line["rules"] = json::array(decision.rules.begin(), decision.rules.end());
  }
  if (!decision.choice.empty()) line["answer"] = decision.choice;
  if (!decision.id.empty()) line["approval"] = decision.id;
  return line;
}

std::vector<std::string> CommandPolicy::write(const json::object& line) {
  const auto written = audit_.write(line);
  if (written) return {};
  return {"The audit log could not be written: " + written.error().message()};
}

// A harmless command is logged once, with how it ended.
Task<Decision> CommandPolicy::decide(const CommandQuestion& question, CancelToken cancel) {
  Decision decision = co_await approvals_.decide(question, std::move(cancel));
  const bool decided = decision.reason != Reason::unseen;
  if (audit_.enabled() && decided && (!decision.approved || !decision.rules.empty())) {
    const auto notices = write(line_for("decision", question, decision));
    decision.notices.insert(decision.notices.end(), notices.begin(), notices.end());
  }
  co_return decision;
}

std::vector<std::string> CommandPolicy::ended(const CommandQuestion& question,
                                              const Decision& decision,
                                              const CommandEnding& ending) {
  if (!audit_.enabled()) return {};
  json::object line = line_for("command", question, decision);
  if (!ending.cwd.empty()) line["cwd"] = ending.cwd;
  line["exit"] = ending.exit_code ? json::value(*ending.exit_code) : json::value(nullptr);
  if (!ending.error.empty()) line["error"] = redact(sanitize_utf8(ending.error));
  if (!ending.process.empty()) line["process"] = ending.process;
  line["bytes"] = ending.bytes;
  line["duration_ms"] =
      std::chrono::duration_cast<std::chrono::milliseconds>(ending.duration).count();
  return write(line);
}

}  // namespace talaria::policy
