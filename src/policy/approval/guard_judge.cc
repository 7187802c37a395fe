#include "policy/approval/guard_judge.h"

#include "host/home_policy.h"
#include "policy/guard/guard.h"

namespace talaria {
namespace {

Answer answer_of(const std::string& word) {
  if (word == "allow") return Answer::allow;
  return word == "deny" ? Answer::deny : Answer::ask;
}

// The home of a command on this machine; what it is elsewhere is not known.
std::string home_of(const JudgedCommand& judged) {
  if (judged.config.target != "local") return "";
  return choose_home(judged.caller, {.mode = judged.config.home_mode,
                                     .profile_home = judged.config.home + "/home"})
      .home;
}

}  // namespace

Judge guard_judge() {
  return [](const JudgedCommand& judged) {
    const ApprovalConfig& settings = judged.config.approvals;
    GuardContext context{.home = home_of(judged),
                         .hermes_home = judged.config.home,
                         .target = judged.config.target,
                         .session = judged.session,
                         .sudo_password_known = settings.has_sudo_password};
    for (const CommandRule& rule : settings.rules) {
      context.rules.push_back({.answer = answer_of(rule.answer),
                               .argv = rule.argv,
                               .path = rule.path,
                               .target = rule.target});
    }
    return judge(judged.command, context);
  };
}

}  // namespace talaria
