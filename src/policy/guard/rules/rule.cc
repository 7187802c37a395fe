#include "policy/guard/rules/rule.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <ranges>
#include <utility>

#include "policy/guard/run/inner.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMostRules = 1024;  // as many as need no second allocation

// The rules by the names of their programs, which takes more to make than to search all of them a
// few times.
class Index {
 public:
  Index() {
    entries_.reserve(kExpected);
    // From the last rule to the first, so that a name finds them in their order.
    for (const Rule* rule : all_rules() | std::views::reverse) add(*rule);
    std::ranges::reverse(by_start_);
    std::ranges::reverse(of_all_);
  }

  std::vector<const Rule*> find(std::string_view name) const {
    std::vector<const Rule*> rules;
    for (std::uint32_t at = first_[slot_of(name)]; at != 0; at = entries_[at - 1].next) {
      if (entries_[at - 1].name == name) rules.push_back(entries_[at - 1].rule);
    }
    for (const auto& [start, rule] : by_start_) {
      if (name.starts_with(start)) rules.push_back(rule);
    }
    rules.insert(rules.end(), of_all_.begin(), of_all_.end());
    return rules;
  }

  void add_names(std::vector<std::string_view>& names) const {
    for (const Entry& entry : entries_) names.push_back(entry.name);
  }

 private:
  static constexpr std::size_t kExpected = 4096;
  static constexpr std::size_t kSlots = 2048;
  struct Entry {
    std::string_view name;
    const Rule* rule;
    std::uint32_t next;  // of this slot, counted from 1; 0: none
  };

  static std::size_t slot_of(std::string_view name) {
    std::size_t hash = name.size();
    for (const char c : name) hash = hash * 31 + static_cast<unsigned char>(c);
    return hash % kSlots;
  }

  void add(const Rule& rule) {
    if (rule.programs.empty()) of_all_.push_back(&rule);
    for (std::string_view names = rule.programs; !names.empty();) {
      const std::string_view name = next_word(names);
      if (name.ends_with('*')) {
        by_start_.emplace_back(name.substr(0, name.size() - 1), &rule);
      } else if (!name.empty()) {
        std::uint32_t& first = first_[slot_of(name)];
        entries_.push_back({name, &rule, first});
        first = static_cast<std::uint32_t>(entries_.size());
      }
    }
  }

  std::vector<Entry> entries_;
  std::array<std::uint32_t, kSlots> first_{};
  std::vector<std::pair<std::string_view, const Rule*>> by_start_;  // "mkfs." of "mkfs.*"
  std::vector<const Rule*> of_all_;
};

// As the index finds them, and in that order.
std::vector<const Rule*> searched(std::string_view name) {
  std::vector<const Rule*> rules;
  std::vector<const Rule*> by_start;
  std::vector<const Rule*> of_all;
  for (const Rule* rule : all_rules()) {
    if (rule->programs.empty()) of_all.push_back(rule);
    if (!name.ends_with('*') && among(name, rule->programs)) rules.push_back(rule);
    if (!rule->programs.contains('*')) continue;
    for (std::string_view names = rule->programs; !names.empty();) {
      const std::string_view start = next_word(names);
      if (start.ends_with('*') && name.starts_with(start.substr(0, start.size() - 1))) {
        by_start.push_back(rule);
      }
    }
  }
  rules.insert(rules.end(), by_start.begin(), by_start.end());
  rules.insert(rules.end(), of_all.begin(), of_all.end());
  return rules;
}

const Index& rule_index() {
  static const Index& index = *new Index();  // never destroyed: it is used until the process ends
  return index;
}

}  // namespace

const std::vector<const Rule*>& all_rules() {
  static const std::vector<const Rule*>& rules = *new std::vector([] {
    std::vector<const Rule*> all;
    all.reserve(kMostRules);
    for (const std::span<const Rule> group :
         {hardline_rules(),  own_rules(),     delete_rules(),  disk_rules(),
          write_rules(),     data_rules(),    reset_rules(),   process_rules(),
          schedule_rules(),  script_rules(),  run_rules(),     environment_rules(),
          container_rules(), engine_rules(),  cluster_rules(), edit_rules(),
          git_rules(),       push_rules(),    sudo_rules(),    system_rules(),
          publish_rules(),   network_rules(), secret_rules(),  place_rules(),
          install_rules(),   deploy_rules(),  cloud_rules(),   intrusion_rules(),
          root_rules(),      server_rules(),  outward_rules(), windows_rules(),
          attack_rules()}) {
      for (const Rule& rule : group) all.push_back(&rule);
    }
    return all;
  }());
  return rules;
}

std::vector<const Rule*> rules_for(std::string_view name) {
  static IndexNeed need;
  return need.is_there() ? rule_index().find(name) : searched(name);
}

const std::vector<std::string_view>& watched_programs() {
  static const std::vector<std::string_view>& names = *new std::vector([] {
    std::vector<std::string_view> all = running_programs();
    rule_index().add_names(all);
    std::ranges::sort(all);
    const auto repeated = std::ranges::unique(all);
    all.erase(repeated.begin(), repeated.end());
    return all;
  }());
  return names;
}

bool holds(const Rule& rule, const Arguments& arguments) {
  if (arguments.command.elsewhere && !rule.elsewhere) return false;
  return arguments.begins(rule.verbs) && arguments.has_each(rule.flags) &&
         (rule.when == nullptr || rule.when(arguments));
}

}  // namespace talaria::guard
