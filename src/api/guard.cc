#include "policy/guard/guard.h"

#include <talaria/guard.h>
#include <talaria/home.h>

#include <utility>

#include <boost/asio/io_context.hpp>

#include "api/backends.h"
#include "host/config.h"
#include "policy/approval/disk_view.h"
#include "policy/approval/guard_judge.h"
#include "policy/guard/rules/rule_check.h"

namespace talaria {
namespace {

std::string_view class_name(guard::RuleClass rule_class) {
  switch (rule_class) {
    case guard::RuleClass::hardline:
      return "hardline";
    case guard::RuleClass::sudo_stdin:
      return "sudo_stdin";
    case guard::RuleClass::dangerous:
      return "dangerous";
    case guard::RuleClass::unclear:
      return "unclear";
    case guard::RuleClass::user:
      return "user";
  }
  return "";
}

GuardAnswer public_answer(guard::Answer answer) {
  switch (answer) {
    case guard::Answer::allow:
      return GuardAnswer::allow;
    case guard::Answer::ask:
      return GuardAnswer::ask;
    case guard::Answer::deny:
      return GuardAnswer::deny;
  }
  return GuardAnswer::deny;
}

}  // namespace

std::string_view guard_answer_name(GuardAnswer answer) {
  switch (answer) {
    case GuardAnswer::allow:
      return "allow";
    case GuardAnswer::ask:
      return "ask";
    case GuardAnswer::deny:
      return "deny";
  }
  return "";
}

std::vector<std::string> guard_targets() {
  asio::io_context loop(1);
  std::vector<std::string> names;
  for (const host::Backend& backend : backends(loop.get_executor())) names.push_back(backend.name);
  return names;
}

std::vector<std::string> check_guard_rules() { return guard::rule_flaws(); }

GuardVerdict explain_command(std::string_view command, const GuardOptions& options) {
  const host::Caller caller = host::Caller::of_this_process();
  guard::GuardContext context{.home = std::string(caller.variable("HOME").value_or("")),
                              .hermes_home = Home().directory(),
                              .target = options.target,
                              .directory = caller.cwd.value_or("")};
  if (const Result<host::Config> config = read_config(caller)) {
    if (context.target.empty()) context.target = config->target;
    context.sudo_password_known = config->approvals.has_sudo_password;
    context.rules = policy::guard_rules(config->approvals);
    context.hermes_rules = config->approvals.hermes_rules;
  }
  policy::look_at_disk(context, {});
  guard::Judgement judgement = judge(command, context);
  GuardVerdict verdict{.answer = public_answer(judgement.answer),
                       .commands = std::move(judgement.commands)};
  for (guard::Concern& concern : judgement.concerns) {
    verdict.rules.push_back({std::move(concern.key), class_name(concern.rule_class),
                             std::move(concern.description), std::move(concern.words)});
  }
  return verdict;
}

}  // namespace talaria
