#include "policy/guard/user_rules.h"

#include <algorithm>

#include "policy/guard/run/parameter.h"

namespace talaria::guard {
namespace {

bool begins_with(const SeenCommand& command, const std::vector<std::string>& argv) {
  if (argv.size() > command.words.size()) return false;
  for (std::size_t i = 0; i < argv.size(); ++i) {
    const bool program = i == 0 && !argv[0].contains('/');
    if (program ? command.program != argv[0] : command.word(i) != argv[i]) return false;
  }
  return true;
}

// Also the path in of=path and --file=path, and for what is not to be allowed, whatever a pattern
// among its words may stand for.
bool names_path(const Arguments& arguments, const UserRule& rule) {
  const SeenCommand& command = arguments.command;
  const std::string folded = arguments.paths.folded(rule.path);
  const bool wide = rule.answer != Answer::allow;
  const auto matches = [&](std::string_view text, bool pattern) {
    const std::string path = arguments.paths.folded(arguments.resolved({std::string(text)}).text);
    return matches_pattern(rule.path, text) || matches_pattern(folded, path) ||
           (wide && pattern && matches_pattern(path, folded));
  };
  const auto word_matches = [&](const SeenWord& word) {
    if (!word.known()) return false;
    const std::size_t equals = word.text.find('=');
    return matches(word.text, word.pattern) ||
           (wide && equals != std::string::npos && equals + 1 < word.text.size() &&
            matches(std::string_view(word.text).substr(equals + 1), word.pattern));
  };
  return std::ranges::any_of(command.words, word_matches) ||
         std::ranges::any_of(command.redirects, [&](const SeenRedirect& redirect) {
           return word_matches(redirect.target);
         });
}

}  // namespace

const UserRule* find_user_rule(const GuardContext& context, const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  const UserRule* strictest = nullptr;
  for (const UserRule& rule : context.rules) {
    if (!rule.target.empty() && rule.target != context.target) continue;
    if (rule.argv.empty() && rule.path.empty()) continue;  // it would be for everything
    if (!begins_with(command, rule.argv)) continue;
    if (!rule.path.empty() && !names_path(arguments, rule)) continue;
    // what LD_PRELOAD or GIT_EDITOR in front make of it was not what somebody allowed, nor was a
    // file with the name of the program
    if (rule.answer == Answer::allow &&
        (!command.variables.empty() ||
         (!rule.argv.empty() && !rule.argv[0].contains('/') && !command.is_by_name()))) {
      continue;
    }
    if (strictest == nullptr || rule.answer > strictest->answer) strictest = &rule;
  }
  return strictest;
}

std::string user_rule_key(const UserRule& rule) {
  std::string key = "rule of yours:";
  for (const std::string& word : rule.argv) key += " " + word;
  if (!rule.path.empty()) key += " (path " + rule.path + ")";
  return key;
}

}  // namespace talaria::guard
