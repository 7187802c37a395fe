// What is done about the sudo of a command, before it runs and after: whose password it gets, if
// any, and what becomes of one that was wrong. See docs/internals/sudo.md.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "base/secret.h"
#include "base/task.h"
#include "environment/environment.h"
#include "host/interaction.h"
#include "host/settings.h"

namespace talaria::policy {

struct SudoUse {
  Secret password;
  std::string scope;                          // whose password it is; empty: the configuration's
  bool given = false;                         // the command has it
  bool on_stdin = false;                      // and reads it there: a target without a runner
  std::function<void()> show_rest = nullptr;  // of output that was held back, if it is streamed
};

// `config`: of the task. Changes `spec` so that sudo gets a password, if there is one or a person
// gives one. The guard has seen the command before that.
Task<SudoUse> prepare_sudo(host::Interaction& people, host::ConfigPtr config, std::string task,
                           const environment::Environment& environment,
                           environment::CommandSpec& spec, CancelToken cancel);

void after_sudo(host::SudoPasswords& passwords, const SudoUse& use,
                environment::CommandOutcome& outcome);

// What a person in a chat reads behind `output`; empty if it is not about a password.
std::string sudo_tip(const host::Config& config, std::string_view output);

}  // namespace talaria::policy
