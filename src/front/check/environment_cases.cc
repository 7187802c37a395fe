// The variables of a command: what it has to have, and what must not reach it.
#include "front/check/check_case.h"
#include "front/check/secret.h"

namespace talaria::front::check {
namespace {

Task<void> usual_ones(Trial& trial) {
  trial.equal("HOME and PATH",
              co_await trial.agent().output_of(
                  "[ -d \"$HOME\" ] && echo home; command -v sh >/dev/null && echo path"),
              "home\npath");
}

Task<void> none_of_ours(Trial& trial) {
  trial.equal(
      "variables and functions of ours",
      co_await trial.agent().output_of("set | grep -i -c '^_*talaria'; echo \"${BASH_ENV-none}\""),
      "0\nnone");
}

Task<void> no_secret(Trial& trial) {
  const std::string look = "env | grep -c '" + std::string(kCheckSecretValue) + "'; echo \"${" +
                           std::string(kCheckSecretName) + "-unset}\"";
  trial.equal("a secret of the controller", co_await trial.agent().output_of(look), "0\nunset");
}

Task<void> no_secret_in_processes(Trial& trial) {
  const std::string id = co_await trial.agent().start("env; echo end");
  const json::object ended = co_await trial.agent().process("wait", id, {{"timeout", 20}});
  trial.contains("output", text_field(ended, "output"), "end");
  trial.lacks("output", text_field(ended, "output"), kCheckSecretValue);
}

Task<void> for_one_command(Trial& trial) {
  trial.equal("in front of a command",
              co_await trial.agent().output_of("A=1 sh -c 'echo $A'; echo \"${A-unset}\""),
              "1\nunset");
}

Task<void> only_three_descriptors(Trial& trial) {
  trial.equal(
      "open descriptors",
      co_await trial.agent().output_of(
          "ls /proc/self/fd | sort -n | head -n 3 | tr '\\n' ' '; ls /proc/self/fd | wc -l | "
          "tr -d ' '"),
      "0 1 2 4");
}

// Not as the last command: for that, busybox replaces its shell and leaves QUIT ignored.
Task<void> signals_are_heard(Trial& trial) {
  trial.equal("signals",
              co_await trial.agent().output_of(
                  "sh -c 'trap \"echo heard\" INT QUIT HUP PIPE; for s in INT QUIT HUP PIPE; do "
                  "kill -$s $$; done; :'; true"),
              "heard\nheard\nheard\nheard");
}

}  // namespace

std::vector<CheckCase> environment_cases() {
  return {
      {"environment", "has-the-usual-variables", Ability::commands, usual_ones},
      {"environment", "has-none-of-ours", Ability::sessions, none_of_ours},
      {"environment", "has-no-secret-of-the-controller", Ability::commands, no_secret},
      {"environment", "processes-have-no-secret", Ability::processes, no_secret_in_processes},
      {"environment", "a-variable-for-one-command", Ability::commands, for_one_command},
      {"environment", "three-descriptors-are-open", Ability::commands, only_three_descriptors},
      {"environment", "signals-are-heard", Ability::commands, signals_are_heard},
  };
}

}  // namespace talaria::front::check
