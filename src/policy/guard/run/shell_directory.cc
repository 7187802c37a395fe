// Of ShellState: the directory, the one before it, and those that pushd keeps.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "policy/guard/path_text.h"
#include "policy/guard/run/shell_state.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

// $x/.aws
bool has_known_end(std::string_view path) {
  constexpr char kHidden[] = {kUnknownPiece, '/', '.'};
  return path.starts_with(std::string_view(kHidden, sizeof kHidden)) && path.size() > 4 &&
         !path.substr(1).contains(kUnknownPiece) && !path.contains("..");
}

// Of the directory, behind a `cd` that nobody can follow.
ShellValue lost_value() { return {{{std::string(1, kUnknownPiece)}, {"lost"}}}; }

}  // namespace

Place ShellState::place() {
  const ShellValue* const set = variables_.find(kDirectoryKey);
  if (set == nullptr) return {};
  const SeenWord& now = set->items.front();
  if (!now.known() && !has_known_end(now.text)) return {.lost = set->items.size() > 1};
  return {set->items.front().text, set->items.size() > 1};
}

// cd x leads to a directory of CDPATH, if there is one.
bool ShellState::may_search(const SeenCommand& seen, std::string_view to) {
  const std::string_view first = to.substr(0, to.find('/'));
  if (seen.word(0) == "popd" || among(first, ". ..") || to.starts_with('/')) return false;
  const ShellVariable* const set = variables_.get("CDPATH");
  if (set == nullptr) return context_.session.variables.contains("CDPATH");
  return std::ranges::any_of(set->values, [&](const Value& value) {
    return value->kind != ShellValue::Kind::unset &&
           !(value->is_known() && value->items.size() == 1 &&
             among(value->items.front().text, ". : .:"));
  });
}

// Where `cd` alone leads.
SeenWord ShellState::home() {
  const Value set = variables_.look("HOME");
  if (set->kind == ShellValue::Kind::outside) return {context_.home_at_start()};
  const bool known = set->is_known() && set->items.size() == 1;
  return known ? set->items.front() : SeenWord{std::string(1, kUnknownPiece)};
}

// Where the command runs, as a value of the directory.
ShellValue ShellState::place_of(const SeenCommand& seen) {
  if (seen.directory.empty() && !seen.from_start) return *Variables::unknown_value();
  ShellValue here{{{seen.directory}}};
  if (seen.from_start) here.items.push_back({"from the start"});
  return here;
}

// Where `cd -` leads: to each directory that may have been the one before.
std::vector<Value> ShellState::places_before() {
  std::vector<Value> places = variables_.all(kOldDirectoryKey).values;
  const auto given = context_.session.variables.find("OLDPWD");
  const bool known = given != context_.session.variables.end() && given->second.starts_with('/');
  for (Value& place : places) {
    if (place->kind != ShellValue::Kind::outside) continue;
    place = known ? std::make_shared<const ShellValue>(ShellValue{{{given->second}}})
                  : Variables::unknown_value();
  }
  return places;
}

// pushd puts the directory on the stack, popd and pushd alone lead to the one on top of it. Of a
// stack from before the text nothing is known.
void ShellState::change_stack(const SeenCommand& seen, const ShellValue& here, bool pushes) {
  constexpr std::size_t kMostItems = 64;
  const bool pops = !pushes;
  std::vector<Value> tops;
  std::vector<Value> stacks;
  for (const Value& now : variables_.all(kStackKey).values) {
    const bool empty = now->kind == ShellValue::Kind::outside;
    ShellValue stack = empty ? ShellValue{} : *now;
    bool known = stack.is_known() && here.is_known() && stack.items.size() < kMostItems;
    if (pops) {
      known = known && !stack.items.empty();
      ShellValue top{{known ? stack.items.back() : SeenWord{}}};
      if (known && top.items.front().listed) top.items.push_back({"from the start"});
      if (!known && !empty) top = lost_value();
      tops.push_back(known || !empty ? std::make_shared<const ShellValue>(top)
                                     : Variables::unknown_value());
      if (known) stack.items.pop_back();
    }
    if (seen.word(0) == "pushd" && known) {
      stack.items.push_back({.text = here.items.front().text, .listed = here.items.size() > 1});
    }
    stacks.push_back(known ? std::make_shared<const ShellValue>(stack)
                           : Variables::unknown_value());
  }
  variables_.set_any(std::string(kStackKey), stacks);
  if (pops) variables_.set_any(std::string(kDirectoryKey), tops);
}

void ShellState::change_directory(const SeenCommand& seen) {
  const std::string key(kDirectoryKey);
  ++moves_;
  std::size_t at = 1;
  while (among(seen.word(at), "-L -P -e -@ --")) ++at;
  const bool given = at < seen.words.size();
  const bool stacks = seen.word(0) != "cd";
  const ShellValue here = place_of(seen);
  const std::vector<Value> before = places_before();
  variables_.reset("PWD");
  variables_.reset("OLDPWD");
  variables_.set(std::string(kOldDirectoryKey), here);
  if (stacks && !given) return change_stack(seen, here, false);
  const SeenWord to = given ? seen.words[at] : home();
  const bool turns = to.text.starts_with('+') || (to.text.starts_with('-') && to.text != "-");
  if (stacks && turns) variables_.forget(std::string(kStackKey));
  if (stacks && !turns) change_stack(seen, here, true);
  if (to.text == "-") return variables_.set_any(key, before);
  const bool relative = !to.text.starts_with('/');
  if (has_known_end(to.text)) return variables_.set(key, {{{to.text}}});
  const bool hidden = seen.word(0) == "popd" || !to.known() || turns || may_search(seen, to.text);
  if (hidden || (relative && seen.directory.empty() && !seen.from_start)) {
    const bool customary = to.temporary || to.listed || to.pattern;
    if (hidden ? customary : !seen.lost) return variables_.forget(key);
    return variables_.set(key, lost_value());
  }
  if (!relative) return variables_.set(key, {{{to.text}}});
  const auto link =
      seen.directory.empty() ? links_.target_of(to.text, true) : std::optional<std::string>();
  if (link) return variables_.set(key, {{{*link}}});
  ShellValue now{{{seen.directory.empty() ? "" : normalized_path(seen.directory + "/" + to.text)}}};
  if (seen.from_start) now.items.push_back({"from the start"});
  variables_.set(key, std::move(now));
}

}  // namespace talaria::guard
