#include "policy/guard/run/variables.h"

#include <algorithm>

namespace talaria {
namespace {

bool same(const ShellValue& one, const ShellValue& other) {
  return one.array == other.array &&
         std::ranges::equal(one.items, other.items, [](const SeenWord& a, const SeenWord& b) {
           return a.text == b.text && a.pattern == b.pattern;
         });
}

// Functions live among the variables, under names no variable has.
std::string function_key(const std::string& name) { return name + "()"; }

}  // namespace

const ShellValue* Variables::find(const std::string& name) {
  const auto found = variables_.find(name);
  if (found == variables_.end() || found->second.values.empty()) return nullptr;
  const std::vector<ShellValue>& values = found->second.values;
  if (values.size() == 1 || !choice_.choosing) return &values.front();
  const std::size_t chosen = choice_.chosen.try_emplace(name, 0).first->second;
  return &values[std::min(chosen, values.size() - 1)];
}

bool Variables::is_unset(const std::string& name) const {
  const auto found = variables_.find(name);
  return found != variables_.end() && found->second.unset;
}

const ShellCommand* Variables::find_function(const std::string& name) const {
  const auto found = variables_.find(function_key(name));
  return found == variables_.end() ? nullptr : found->second.function;
}

void Variables::remember(const std::string& name) {
  const auto found = variables_.find(name);
  journal_.emplace_back(name,
                        found == variables_.end() ? std::nullopt : std::optional(found->second));
}

void Variables::set(const std::string& name, ShellValue value) {
  remember(name);
  ShellVariable& variable = variables_[name];
  variable = {};
  variable.values.push_back(std::move(value));
}

void Variables::set_any(const std::string& name, std::vector<ShellValue> values) {
  remember(name);
  if (values.size() > kMaxPossibleValues) values.clear();
  ShellVariable& variable = variables_[name];
  variable = {};
  variable.values = std::move(values);
}

void Variables::unset(const std::string& name) {
  remember(name);
  variables_[name] = {.unset = true};
}

void Variables::forget(const std::string& name) {
  remember(name);
  variables_.erase(name);
}

void Variables::define(const std::string& name, const ShellCommand* function) {
  remember(function_key(name));
  variables_[function_key(name)] = {.function = function};
}

void Variables::undo(std::size_t mark) {
  while (journal_.size() > mark) {
    auto& [name, before] = journal_.back();
    if (before) {
      variables_[name] = std::move(*before);
    } else {
      variables_.erase(name);
    }
    journal_.pop_back();
  }
}

void Variables::join(std::size_t mark) {
  // Of each name only its first change tells what it was before.
  std::map<std::string, bool> seen;
  for (std::size_t i = mark; i < journal_.size(); ++i) {
    const auto& [name, before] = journal_[i];
    if (!seen.try_emplace(name, true).second || !before) continue;
    const auto found = variables_.find(name);
    if (found == variables_.end() || found->second.function) continue;
    std::vector<ShellValue>& values = found->second.values;
    if (values.empty()) continue;
    for (const ShellValue& value : before->values) {
      const bool is_new =
          std::ranges::none_of(values, [&](const ShellValue& one) { return same(one, value); });
      if (is_new) values.push_back(value);
    }
    if (values.size() > kMaxPossibleValues) values.clear();
  }
}

void Variables::first_choice() { choice_ = {.choosing = true}; }

bool Variables::next_choice() {
  for (auto& [name, chosen] : choice_.chosen) {
    const auto found = variables_.find(name);
    if (found != variables_.end() && ++chosen < found->second.values.size()) return true;
    chosen = 0;
  }
  return false;
}

}  // namespace talaria
