// sudo's own options. Those behind the command it runs belong to that command.
#include "policy/guard/rules/rule.h"

namespace talaria::guard {
namespace {

// The words of sudo before the command it runs.
template <class Test>
bool own_option(const Arguments& arguments, Test test) {
  const SeenCommand& command = arguments.command;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (!word.starts_with('-') || word == "--") return false;
    if (test(word)) return true;
    if (word.size() == 2 && std::string_view("ughpCTRDUrt").contains(word[1])) ++i;
  }
  return false;
}

bool guesses(const Arguments& arguments) { return arguments.command.word(1) == "-S"; }

bool privilege_flag(const Arguments& arguments) {
  return own_option(arguments, [](std::string_view word) {
    return among(word, "-S -s -A -a --stdin --askpass --shell");
  });
}

bool combined_flag(const Arguments& arguments) {
  return own_option(arguments, [](std::string_view word) {
    return word.size() > 2 && word[1] != '-' &&
           word.find_first_of("sSaA", 1) != std::string_view::npos &&
           word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 1) ==
               std::string_view::npos;
  });
}

constexpr Rule kSudoRules[] = {
    {.key = "sudo password guessing via stdin (sudo -S)",
     .rule_class = RuleClass::sudo_stdin,
     .programs = "sudo",
     .when = guesses,
     .yes = {"sudo -S whoami", "echo hunter2 | sudo -S id", "sudo -k && sudo -S x"},
     .no = {"sudo whoami", "sudo -u root x", "echo -S hi", "some_tool -S x",
            "echo 'use sudo -S to pipe passwords'"}},
    {.key = "sudo with privilege flag (stdin/askpass/shell/list)",
     .programs = "sudo",
     .when = privilege_flag,
     .yes = {"echo p | sudo -S id", "sudo -u root -S id", "sudo --stdin id", "sudo -A id",
             "sudo whoami; sudo -S id", "sudo -s"},
     .no = {"sudo whoami", "sudo -i", "sudo -u root -i", "apt install sudo", "pseudosudo -S id",
            "sudo ls -a"}},
    {.key = "sudo with combined-flag privilege escalation",
     .programs = "sudo",
     .when = combined_flag,
     .yes = {"sudo -nS id", "sudo -ks"},
     .no = {"sudo -n id", "sudo -E ls", "sudo ls -la"}},
};

}  // namespace

std::span<const Rule> sudo_rules() { return kSudoRules; }

}  // namespace talaria::guard
