#include "policy/guard/rules/rule_check.h"

#include <algorithm>

#include "policy/guard/guard.h"
#include "policy/guard/rules/rule.h"

namespace talaria::guard {
namespace {

bool is_reported(const Rule& rule, const char* command) {
  const Judgement judgement = judge(command, {.home = "/home/alice",
                                              .hermes_home = "/home/alice/.hermes",
                                              .hermes_rules = rule.set == RuleSet::hermes});
  return std::ranges::any_of(judgement.concerns,
                             [&](const Concern& concern) { return concern.key == rule.key; });
}

}  // namespace

std::vector<std::string> rule_flaws() {
  std::vector<std::string> flaws;
  for (const Rule* rule : all_rules()) {
    const std::string key(rule->key);
    if (rule->yes[0] == nullptr || rule->no[0] == nullptr) flaws.push_back(key + ": no example");
    for (const char* command : rule->yes) {
      if (command != nullptr && !is_reported(*rule, command)) {
        flaws.push_back(key + ": does not hold for " + command);
      }
    }
    for (const char* command : rule->no) {
      if (command != nullptr && is_reported(*rule, command)) {
        flaws.push_back(key + ": holds for " + command);
      }
    }
  }
  return flaws;
}

}  // namespace talaria::guard
