#include "policy/guard/rules/rule.h"

#include <algorithm>
#include <array>
#include <map>

#include "policy/guard/run/inner.h"

namespace talaria::guard {
namespace {

struct Index {
  std::map<std::string_view, std::vector<const Rule*>> by_name;
  std::vector<std::pair<std::string_view, const Rule*>> by_start;  // "mkfs." of "mkfs.*"
  std::vector<const Rule*> of_all;
};

Index make_index() {
  Index index;
  for (const Rule* rule : all_rules()) {
    if (rule->programs.empty()) index.of_all.push_back(rule);
    for (std::string_view names = rule->programs; !names.empty();) {
      const std::string_view name = next_word(names);
      if (name.ends_with('*')) {
        index.by_start.emplace_back(name.substr(0, name.size() - 1), rule);
      } else if (!name.empty()) {
        index.by_name[name].push_back(rule);
      }
    }
  }
  return index;
}

const Index& rule_index() {
  static const Index index = make_index();
  return index;
}

}  // namespace

const std::vector<const Rule*>& all_rules() {
  static const std::vector<const Rule*> rules = [] {
    std::vector<const Rule*> all;
    for (const std::span<const Rule> group :
         {hardline_rules(),  own_rules(),     delete_rules(),      disk_rules(),
          write_rules(),     data_rules(),    reset_rules(),       process_rules(),
          script_rules(),    run_rules(),     environment_rules(), container_rules(),
          cluster_rules(),   edit_rules(),    git_rules(),         sudo_rules(),
          system_rules(),    publish_rules(), network_rules(),     secret_rules(),
          place_rules(),     install_rules(), deploy_rules(),      cloud_rules(),
          intrusion_rules(), root_rules(),    server_rules(),      outward_rules(),
          windows_rules(),   attack_rules()}) {
      for (const Rule& rule : group) all.push_back(&rule);
    }
    return all;
  }();
  return rules;
}

std::vector<const Rule*> rules_for(std::string_view name) {
  const Index& index = rule_index();
  std::vector<const Rule*> rules;
  if (const auto found = index.by_name.find(name); found != index.by_name.end()) {
    rules = found->second;
  }
  for (const auto& [start, rule] : index.by_start) {
    if (name.starts_with(start)) rules.push_back(rule);
  }
  rules.insert(rules.end(), index.of_all.begin(), index.of_all.end());
  return rules;
}

const std::vector<std::string_view>& watched_programs() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all = running_programs();
    for (const auto& [name, rules] : rule_index().by_name) all.push_back(name);
    std::ranges::sort(all);
    const auto repeated = std::ranges::unique(all);
    all.erase(repeated.begin(), repeated.end());
    return all;
  }();
  return names;
}

bool holds(const Rule& rule, const Arguments& arguments) {
  if (arguments.command.elsewhere && !rule.elsewhere) return false;
  return arguments.begins(rule.verbs) && arguments.has_each(rule.flags) &&
         (rule.when == nullptr || rule.when(arguments));
}

}  // namespace talaria::guard
