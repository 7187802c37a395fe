// The guard: what a shell command would run, and whether somebody has to be asked before it does.
// Nothing is executed, and only the configuration is read.
#pragma once

#include <talaria/export.h>

#include <string>
#include <string_view>
#include <vector>

namespace talaria {

enum class GuardAnswer { allow, ask, deny };

// "allow", "ask", "deny".
TALARIA_API std::string_view guard_answer_name(GuardAnswer answer);

// A rule that matches the command.
struct GuardRuleHit {
  std::string key = {};                 // what an approval is given for
  std::string_view rule_class = {};     // hardline, sudo_stdin, dangerous, unclear or user
  std::string why = {};                 // for a person
  std::vector<std::string> words = {};  // the simple command that matched
};

struct GuardVerdict {
  GuardAnswer answer = GuardAnswer::allow;
  std::vector<GuardRuleHit> rules = {};                 // the most important first
  std::vector<std::vector<std::string>> commands = {};  // what would run; "…" where it is not known
};

struct GuardOptions {
  // the rules of the configuration may be for one; empty: the configured one
  std::string target = {};
};

// Judges as for a target that is not isolated, with the home of this process. An invalid
// configuration has no rules.
TALARIA_API GuardVerdict explain_command(std::string_view command,
                                         const GuardOptions& options = {});

// The names a target can have.
TALARIA_API std::vector<std::string> guard_targets();

// Checks every rule with its examples, which takes some milliseconds. Returns what failed.
TALARIA_API std::vector<std::string> check_guard_rules();

}  // namespace talaria
