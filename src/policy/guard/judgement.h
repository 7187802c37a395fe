// What the guard says of a command, and why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace talaria::guard {

enum class Answer { allow, ask, deny };

// "allow", "ask", "deny".
std::string_view answer_name(Answer answer);

enum class RuleClass {
  hardline,    // refused on a target that is not isolated, whatever anybody says
  sudo_stdin,  // a password is being guessed: refused as well, though it is not hardline
  dangerous,   // a person is asked
  unclear,     // the text does not tell what would run: a person is asked
  user,        // a rule of the configuration
};

// One reason not to simply run it.
struct Concern {
  RuleClass rule_class = RuleClass::dangerous;
  std::string key;                 // what a grant is for; of Hermes' rules, their description
  std::string description;         // for a person
  std::vector<std::string> words;  // of the command it is about, as far as they are known
  std::string directory = {};      // where that command would run; empty: not known
};

struct Judgement {
  Answer answer = Answer::allow;
  std::vector<Concern> concerns;                   // the weightiest first
  std::vector<std::vector<std::string>> commands;  // what would run, as the guard understands it
  std::vector<std::string> names;  // that a session may have a function or an alias for; each once
  std::vector<std::string> variables;  // whose values come from the session; each once
  bool uses_directory = false;         // the answer may be another one in another directory
};

}  // namespace talaria::guard
