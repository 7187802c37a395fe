#include "policy/approval/guard_judge.h"

#include "host/home_policy.h"
#include "policy/approval/disk_view.h"
#include "policy/guard/guard.h"

namespace talaria::policy {
namespace {

guard::Answer answer_of(const std::string& word) {
  if (word == "allow") return guard::Answer::allow;
  return word == "deny" ? guard::Answer::deny : guard::Answer::ask;
}

using Variables = std::vector<std::pair<std::string, std::string>>;

Variables variables_of(const JudgedCommand& judged) {
  Variables variables;
  for (const std::string& one : judged.variables) {
    const std::size_t equals = one.find('=');
    if (equals != std::string::npos) {
      variables.emplace_back(one.substr(0, equals), one.substr(equals + 1));
    }
  }
  return variables;
}

// The home of the person on this machine; elsewhere it is not known.
std::string home_of(const JudgedCommand& judged) {
  if (judged.config.target != "local") return "";
  return host::choose_home(judged.caller, {.mode = judged.config.home_mode,
                                           .profile_home = judged.config.home + "/home"})
      .home;
}

}  // namespace

std::vector<guard::UserRule> guard_rules(const host::ApprovalConfig& settings) {
  std::vector<guard::UserRule> rules;
  for (const host::CommandRule& rule : settings.rules) {
    rules.push_back({.answer = answer_of(rule.answer),
                     .argv = rule.argv,
                     .path = rule.path,
                     .target = rule.target});
  }
  return rules;
}

Judge guard_judge() {
  return [](const JudgedCommand& judged) {
    const host::ApprovalConfig& settings = judged.config.approvals;
    guard::GuardContext context{.home = home_of(judged),
                                .hermes_home = judged.config.home,
                                .target = judged.config.target,
                                .session = judged.session,
                                .sudo_password_known = settings.has_sudo_password,
                                .rules = guard_rules(settings),
                                .hermes_rules = settings.hermes_rules,
                                .directory = judged.session.directory,
                                .input = judged.input,
                                .variables = variables_of(judged)};
    look_at_disk(context, {judged.config.cwd, judged.caller.cwd.value_or("")});
    if (judged.program) return judge_program(judged.command, "python3", context);
    return judge(judged.command, context);
  };
}

}  // namespace talaria::policy
