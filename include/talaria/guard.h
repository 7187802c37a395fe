// The guard: what a shell command would run, and whether somebody has to be asked before it does.
// Nothing is executed, and no file is looked at but the configuration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace talaria {

enum class GuardAnswer { allow, ask, deny };

// "allow", "ask", "deny".
std::string_view guard_answer_name(GuardAnswer answer);

// One reason not to simply run it.
struct GuardRuleHit {
  std::string key;                 // what an approval is given for
  std::string_view rule_class;     // hardline, sudo_stdin, dangerous, unclear or user
  std::string why;                 // for a person
  std::vector<std::string> words;  // of the command it is about
};

struct GuardVerdict {
  GuardAnswer answer = GuardAnswer::allow;
  std::vector<GuardRuleHit> rules;                 // the weightiest first
  std::vector<std::vector<std::string>> commands;  // what would run; "…" where it is not known
};

struct GuardOptions {
  std::string target;  // the rules of the configuration may be for one; empty: the configured one
};

// As for a target that is not isolated, and with the home of this process. A configuration that
// makes no sense has no rules.
GuardVerdict explain_command(std::string_view command, const GuardOptions& options = {});

// The names a target can have.
std::vector<std::string> guard_targets();

// Holds every rule against the examples it comes with, which takes some milliseconds. What does not
// hold; empty: everything does.
std::vector<std::string> check_guard_rules();

}  // namespace talaria
