#include "policy/guard/user_rules.h"

#include <algorithm>

#include "policy/guard/run/parameter.h"

namespace talaria {
namespace {

bool begins_with(const SeenCommand& command, const std::vector<std::string>& argv) {
  if (argv.size() > command.words.size()) return false;
  for (std::size_t i = 0; i < argv.size(); ++i) {
    const bool program = i == 0 && !argv[0].contains('/');
    if (program ? command.program != argv[0] : command.word(i) != argv[i]) return false;
  }
  return true;
}

bool names_path(const SeenCommand& command, const std::string& pattern, const PathKinds& paths) {
  const std::string folded = paths.folded(pattern);
  const auto matches = [&](const SeenWord& word) {
    return word.known() && (matches_pattern(pattern, word.text) ||
                            matches_pattern(folded, paths.folded(word.text)));
  };
  return std::ranges::any_of(command.words, matches) ||
         std::ranges::any_of(command.redirects, [&](const SeenRedirect& redirect) {
           return matches(redirect.target);
         });
}

}  // namespace

const UserRule* find_user_rule(const GuardContext& context, const SeenCommand& command,
                               const PathKinds& paths) {
  const UserRule* strictest = nullptr;
  for (const UserRule& rule : context.rules) {
    if (!rule.target.empty() && rule.target != context.target) continue;
    if (rule.argv.empty() && rule.path.empty()) continue;  // it would be for everything
    if (!begins_with(command, rule.argv)) continue;
    if (!rule.path.empty() && !names_path(command, rule.path, paths)) continue;
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

}  // namespace talaria
