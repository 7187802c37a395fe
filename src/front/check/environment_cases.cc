// The variables of a command: what it has to have, and what must not reach it.
#include "front/check/check_case.h"
#include "front/check/secret.h"

namespace talaria::front::check {
namespace {

Task<void> no_secret_in_processes(Trial& trial) {
  const json::object ended = co_await trial.agent().result_of("env; echo end");
  trial.contains("output", text_field(ended, "output"), "end");
  trial.lacks("output", text_field(ended, "output"), kCheckSecretValue);
}

}  // namespace

std::vector<CheckCase> environment_cases() {
  const std::string find_secret = "env | grep -c '" + std::string(kCheckSecretValue) +
                                  "'; echo \"${" + std::string(kCheckSecretName) + "-unset}\"";
  return {
      prints("environment", "has-the-usual-variables", Ability::commands,
             "[ -d \"$HOME\" ] && echo home; command -v sh >/dev/null && echo path", "home\npath"),
      prints("environment", "has-none-of-ours", Ability::sessions,
             "set | grep -i -c '^_*talaria'; echo \"${BASH_ENV-none}\"", "0\nnone"),
      prints("environment", "has-no-secret-of-the-controller", Ability::commands, find_secret,
             "0\nunset"),
      {"environment", "processes-have-no-secret", Ability::processes, no_secret_in_processes},
      prints("environment", "a-variable-for-one-command", Ability::commands,
             "A=1 sh -c 'echo $A'; echo \"${A-unset}\"", "1\nunset"),
      prints("environment", "three-descriptors-are-open", Ability::commands,
             "ls /proc/self/fd | sort -n | head -n 3 | tr '\\n' ' '; ls /proc/self/fd | wc -l | "
             "tr -d ' '",
             "0 1 2 4"),
      // Not as the last command: for that, busybox replaces its shell and leaves QUIT ignored.
      prints("environment", "signals-are-heard", Ability::commands,
             "sh -c 'trap \"echo heard\" INT QUIT HUP PIPE; for s in INT QUIT HUP PIPE; do "
             "kill -$s $$; done; :'; true",
             "heard\nheard\nheard\nheard"),
  };
}

}  // namespace talaria::front::check
