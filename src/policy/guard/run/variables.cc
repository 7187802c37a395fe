#include "policy/guard/run/variables.h"

#include <algorithm>
#include <set>

#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using ValueKind = ShellValue::Kind;

constexpr std::size_t kMaxDoubted = 8;  // values that are kept where it may be anything

// Bash gives these a value of its own, whatever they are set to.
bool is_dynamic(std::string_view name) {
  static constexpr std::string_view kDynamic =
      "_ RANDOM SRANDOM SECONDS LINENO EPOCHSECONDS EPOCHREALTIME BASHPID PPID UID EUID GROUPS "
      "FUNCNAME DIRSTACK BASH_COMMAND BASH_SUBSHELL BASH_LINENO BASH_SOURCE BASH_ARGV BASH_ARGC "
      "BASH_ARGV0 BASH_REMATCH PIPESTATUS HISTCMD COMP_WORDBREAKS";
  return among(name, kDynamic);
}

Value of_kind(ValueKind kind) {
  static const auto make = [](ValueKind one) {
    ShellValue value;
    value.kind = one;
    return std::make_shared<const ShellValue>(std::move(value));
  };
  static const Value unset = make(ValueKind::unset);
  static const Value unknown = make(ValueKind::unknown);
  static const Value outside = make(ValueKind::outside);
  return kind == ValueKind::unset ? unset : kind == ValueKind::unknown ? unknown : outside;
}

bool same(const Value& one, const Value& other) {
  return one == other ||
         (one->kind == other->kind && one->array == other->array &&
          one->function == other->function &&
          std::ranges::equal(one->items, other->items, [](const SeenWord& a, const SeenWord& b) {
            return a.text == b.text && a.pattern == b.pattern && a.several == b.several &&
                   a.temporary == b.temporary;
          }));
}

// True: it is a new one.
bool add(std::vector<Value>& values, const Value& value) {
  if (std::ranges::any_of(values, [&](const Value& one) { return same(one, value); })) return false;
  const bool before_last = !values.empty() && values.back()->kind == ValueKind::outside;
  values.insert(before_last ? values.end() - 1 : values.end(), value);
  if (values.size() > kMaxPossibleValues) values = {of_kind(ValueKind::unknown)};
  return true;
}

// True: `into` may now be what it could not be before.
bool unite(ShellVariable& into, const ShellVariable& other) {
  bool more = false;
  for (const Value& value : other.values) more = add(into.values, value) || more;
  more = more || (other.opaque && !into.opaque) || (other.fixed && !into.fixed);
  into.opaque = into.opaque || other.opaque;
  into.fixed = into.fixed || other.fixed;
  return more;
}

bool has_more(const Value& value) { return value->array && value->items.size() > 1; }

bool may_be_anything(const ShellVariable& variable) {
  return std::ranges::any_of(variable.values,
                             [](const Value& value) { return value->kind == ValueKind::unknown; });
}

}  // namespace

Value Variables::unknown_value() { return of_kind(ValueKind::unknown); }

Value Variables::unset_value() { return of_kind(ValueKind::unset); }

Variables::Variables(Budget& budget, const Texts& start) : budget_(budget) {
  constexpr std::string_view kOwn = "PWD OLDPWD SHLVL IFS _";  // bash makes these itself
  for (const auto& [name, value] : start) {
    if (!among(name, kOwn)) start_.insert_or_assign(name, value);
  }
}

Value Variables::look(std::string_view name) {
  const ShellVariable* const found = get(name);
  if (found == nullptr) return of_kind(ValueKind::outside);
  const std::size_t count = found->values.size();
  if (count == 1) return found->values.front();
  if (!choice_.choosing) return of_kind(ValueKind::unknown);
  return found->values[std::min(choose(std::string(name), count), count - 1)];
}

const ShellValue* Variables::find(std::string_view name) {
  const Value value = look(name);  // the map keeps it
  return value->is_known() ? value.get() : nullptr;
}

const ShellVariable* Variables::get(std::string_view name) const {
  const auto found = variables_.find(name);
  if (found != variables_.end()) return &found->second;
  const auto given = start_.find(name);
  if (given == start_.end()) return nullptr;
  const SeenWord word{std::string(given->second)};
  Value value = is_dynamic(name) ? of_kind(ValueKind::unknown)
                                 : std::make_shared<const ShellValue>(ShellValue{{word}});
  return &variables_.emplace(name, ShellVariable{.values = {std::move(value)}}).first->second;
}

ShellVariable Variables::all(std::string_view name) const {
  const ShellVariable* const found = get(name);
  return found != nullptr ? *found : ShellVariable{.values = {of_kind(ValueKind::outside)}};
}

void Variables::remember(const std::string& name) {
  const ShellVariable* const found = get(name);
  journal_.emplace_back(name, found == nullptr ? std::nullopt : std::optional(*found));
  budget_.spend_words(1);
}

void Variables::set(const std::string& name, ShellValue value) {
  budget_.spend_words(value.items.size());
  set_any(name, {std::make_shared<const ShellValue>(std::move(value))});
}

void Variables::set_any(const std::string& name, const std::vector<Value>& values) {
  remember(name);
  ShellVariable variable;
  for (const Value& value : values) add(variable.values, value);
  ShellVariable& now = variables_[name];
  variable.opaque = now.opaque;
  // a plain value for an array is one for its first element only
  const bool partial = std::ranges::any_of(now.values, has_more) &&
                       std::ranges::any_of(variable.values, [](const Value& value) {
                         return value->is_known() && !value->array;
                       });
  if (variable.values.empty() || variable.opaque || partial || is_dynamic(name)) {
    variable.values = {of_kind(ValueKind::unknown)};
  }
  if (now.fixed) unite(variable, now);
  now = std::move(variable);
}

void Variables::unset(const std::string& name) { set_any(name, {of_kind(ValueKind::unset)}); }

void Variables::forget(const std::string& name) { set_any(name, {of_kind(ValueKind::unknown)}); }

std::vector<std::string> Variables::names() {
  for (const auto& [name, value] : start_) get(name);
  std::vector<std::string> all_names;
  for (const auto& [name, variable] : variables_) all_names.push_back(name);
  return all_names;
}

void Variables::forget_all() { doubt(names()); }

void Variables::doubt_plain() {
  std::vector<std::string> plain = names();
  std::erase_if(plain,
                [](const std::string& name) { return !std::ranges::all_of(name, is_name_char); });
  doubt(plain);
}

void Variables::reset(const std::string& name) {
  put(name, {.values = {of_kind(ValueKind::outside)}});
}

void Variables::put(const std::string& name, ShellVariable variable) {
  remember(name);
  variables_[name] = std::move(variable);
}

void Variables::put_too(const std::string& name, ShellVariable variable) {
  unite(variable, all(name));
  put(name, std::move(variable));
}

void Variables::make_opaque(const std::string& name) {
  ShellVariable variable = all(name);
  variable.opaque = true;
  variable.values = {of_kind(ValueKind::unknown)};
  put(name, std::move(variable));
}

void Variables::make_fixed(const std::string& name) {
  ShellVariable variable = all(name);
  variable.fixed = true;
  put(name, std::move(variable));
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

std::vector<std::string> Variables::join(std::size_t mark) {
  // Of each name only its first change tells what it was before.
  std::set<std::string_view> seen;
  std::vector<std::string> grown;
  for (std::size_t i = mark; i < journal_.size(); ++i) {
    const auto& [name, before] = journal_[i];
    if (!seen.insert(name).second) continue;
    budget_.spend_words(1);
    ShellVariable was = before ? *before : ShellVariable{.values = {of_kind(ValueKind::outside)}};
    ShellVariable& now = variables_[name];
    const bool covered = may_be_anything(was);
    if (unite(was, now) && !covered) grown.push_back(name);
    now = std::move(was);
  }
  return grown;
}

std::vector<std::string> Variables::changed(std::size_t mark) const {
  std::set<std::string> names;
  for (std::size_t i = mark; i < journal_.size(); ++i) names.insert(journal_[i].first);
  return {names.begin(), names.end()};
}

void Variables::doubt(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    ShellVariable variable = all(name);
    if (variable.values.size() > kMaxDoubted) variable.values.resize(kMaxDoubted);
    if (add(variable.values, of_kind(ValueKind::unknown))) put(name, std::move(variable));
  }
}

Variables::Changes Variables::changes(std::size_t mark) const {
  Changes all_changed;
  for (std::size_t i = mark; i < journal_.size(); ++i) {
    const std::string& name = journal_[i].first;
    if (!all_changed.contains(name)) all_changed.emplace(name, all(name));
  }
  budget_.spend_words(all_changed.size());
  return all_changed;
}

void Variables::merge(const std::vector<Changes>& ways) {
  std::set<std::string_view> names;
  for (const Changes& way : ways) {
    for (const auto& [name, variable] : way) names.insert(name);
  }
  for (const std::string_view view : names) {
    const std::string name(view);
    std::optional<ShellVariable> united;
    for (const Changes& way : ways) {
      const auto found = way.find(name);
      ShellVariable variable = found == way.end() ? all(name) : found->second;
      if (united) {
        unite(*united, variable);
      } else {
        united = std::move(variable);
      }
    }
    budget_.spend_words(ways.size());
    put(name, std::move(*united));
  }
}

void Variables::first_choice() { choice_ = {.choosing = true}; }

bool Variables::next_choice() {
  for (auto& [what, chosen] : choice_.chosen) {
    if (++chosen.at < chosen.count) return true;
    chosen.at = 0;
  }
  return false;
}

std::size_t Variables::choose(const std::string& what, std::size_t count) {
  if (!choice_.choosing) return 0;
  Chosen& chosen = choice_.chosen[what];
  chosen.count = std::max(chosen.count, count);
  return chosen.at;
}

}  // namespace talaria::guard
