// What the guard is told beside the text of the command.
#pragma once

#include <string>
#include <vector>

#include "policy/guard/judgement.h"
#include "shell/definitions.h"

namespace talaria::guard {

// A rule of the configuration. What it does not say counts for everything.
struct UserRule {
  Answer answer = Answer::ask;
  std::vector<std::string> argv;  // the first words of a command; its program also by its path
  std::string path;               // a pattern one of its operands or redirections has to match
  std::string target;             // the name of a target
};

struct GuardContext {
  std::string home;         // $HOME as it is now, at the target
  std::string hermes_home;  // where Hermes has its configuration; empty: ~/.hermes
  std::string target;
  shell::SessionDefinitions session;  // what the session has defined
  bool sudo_password_known = false;   // SUDO_PASSWORD is set: `sudo -S` is how it is given
  std::vector<UserRule> rules;
};

}  // namespace talaria::guard
