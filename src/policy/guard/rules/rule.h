// Rule: one reason to refuse a command or to ask a person, as data: which programs it is about,
// which of their words make it so, and commands for which it does and does not hold. What words
// alone cannot say is a function (`when`).
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/judgement.h"
#include "policy/guard/rules/arguments.h"

namespace talaria::guard {

// Who has a rule. A user chooses between Talaria's own set and exactly that of Hermes.
enum class RuleSet { both, talaria, hermes };

struct Rule {
  std::string_view key;
  RuleClass rule_class = RuleClass::dangerous;
  std::string_view programs = {};  // between blanks; "mkfs.*": whatever begins so; "": all
  // The first operands in their order, between blanks; alternatives between |.
  std::string_view verbs = {};
  // Every one has to be there, between blanks; alternatives between |. "-f" is also found in "-xf".
  std::string_view flags = {};
  bool (*when)(const Arguments& arguments) = nullptr;
  std::string_view why = {};  // for a person, where the key does not say it all
  const char* yes[6] = {};    // commands it holds for
  const char* no[6] = {};     // and does not
  bool elsewhere = true;      // also on another machine or in a container
  RuleSet set = RuleSet::both;
};

// Rules that only Talaria has.
template <std::size_t N>
constexpr std::array<Rule, N> only_ours(std::array<Rule, N> rules) {
  for (Rule& rule : rules) {
    if (rule.set == RuleSet::both) rule.set = RuleSet::talaria;
  }
  return rules;
}

// By theme; a file each.
std::span<const Rule> hardline_rules();
std::span<const Rule> delete_rules();
std::span<const Rule> write_rules();
std::span<const Rule> edit_rules();
std::span<const Rule> process_rules();
std::span<const Rule> schedule_rules();
std::span<const Rule> script_rules();
std::span<const Rule> run_rules();
std::span<const Rule> sudo_rules();
std::span<const Rule> git_rules();
std::span<const Rule> push_rules();
std::span<const Rule> data_rules();
std::span<const Rule> reset_rules();
std::span<const Rule> container_rules();
std::span<const Rule> engine_rules();
std::span<const Rule> cluster_rules();
std::span<const Rule> environment_rules();
std::span<const Rule> system_rules();
std::span<const Rule> disk_rules();
std::span<const Rule> publish_rules();
std::span<const Rule> network_rules();
std::span<const Rule> own_rules();
std::span<const Rule> place_rules();
std::span<const Rule> secret_rules();
std::span<const Rule> root_rules();
std::span<const Rule> install_rules();
std::span<const Rule> cloud_rules();
std::span<const Rule> deploy_rules();
std::span<const Rule> intrusion_rules();
std::span<const Rule> attack_rules();
std::span<const Rule> server_rules();
std::span<const Rule> outward_rules();
std::span<const Rule> windows_rules();

// All of them, hardline first: of a command's dangers the first that holds is reported.
const std::vector<const Rule*>& all_rules();

// The rules that may hold for a program. `name` may be one no rule is about.
std::vector<const Rule*> rules_for(std::string_view name);

// Every name a rule asks for, and those of commands that run others; sorted.
const std::vector<std::string_view>& watched_programs();

bool holds(const Rule& rule, const Arguments& arguments);

// The keys under which older allowlists may have granted what `key` stands for.
std::vector<std::string> legacy_keys(std::string_view key);

}  // namespace talaria::guard
