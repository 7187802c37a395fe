#include "policy/guard/run/shell_state.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "policy/guard/run/read_values.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxCalls = 48;  // functions in functions
constexpr int kMaxSame = 2;            // calls of one in itself, before it is walked for anything

bool is_option(std::string_view word) {
  return word.size() > 1 && (word.front() == '-' || word.front() == '+');
}

std::string without_index(std::string_view name) {
  return std::string(name.substr(0, name.find('[')));
}

bool same_words(const std::vector<SeenWord>& one, const std::vector<SeenWord>& other) {
  return std::ranges::equal(one, other, [](const SeenWord& a, const SeenWord& b) {
    return a.text == b.text && a.several == b.several;
  });
}

SeenWord any_words() {
  SeenWord any{std::string(1, kUnknownPiece)};
  any.several = true;
  return any;
}

}  // namespace

bool has_builtin_option(const SeenCommand& seen, std::string_view letters) {
  for (std::size_t i = 1; i < seen.words.size() && is_option(seen.word(i)); ++i) {
    if (seen.word(i) == "--") break;
    if (seen.word(i).find_first_of(letters, 1) != std::string_view::npos) return true;
  }
  return false;
}

ShellState::ShellState(const GuardContext& context, Findings& findings, Situation& now)
    : context_(context),
      findings_(findings),
      now_(now),
      variables_(findings.budget(), context.variables),
      links_(context.links, context.directory) {
  set_arguments({});
  if (!context.hermes_home.empty()) variables_.set("HERMES_HOME", {{{context.hermes_home}}});
  variables_.set(std::string(kDirectoryKey), {{{context.directory}, {"from the start"}}});
}

const Script& ShellState::read(std::string_view text) {
  return *scripts_.emplace_back(std::make_unique<Script>(read_script(text)));
}

// --- functions

ShellState::Callees ShellState::functions_of(const SeenCommand& seen) {
  const std::string& name = seen.words.front().text;
  Callees callees;
  if (seen.by_program) return callees;
  const std::string key = function_key(name);
  const ShellVariable* const defined = variables_.get(key);
  const auto add = [&](const ShellCommand* function) {
    if (function == nullptr) {
      callees.program = true;
    } else {
      callees.functions.push_back(function);
    }
  };
  callees.program = false;
  if (defined == nullptr) {
    add(session_function(name, seen));
    return callees;
  }
  const std::vector<Value> values = defined->values;
  for (const Value& value : values) {
    if (value->kind == ShellValue::Kind::unknown) {
      findings_.say_unclear("function is not known",
                            "what " + name + " is, is known only when it runs", &seen);
    }
    const bool outside = value->kind == ShellValue::Kind::outside;
    add(outside ? session_function(name, seen) : value->function);
  }
  return callees;
}

// Null: there is none.
const ShellCommand* ShellState::session_function(const std::string& name, const SeenCommand& seen) {
  if (context_.session.functions.empty()) return nullptr;
  const auto given = context_.session.functions.find(name);
  if (given == context_.session.functions.end()) return nullptr;
  if (const auto known = session_functions_.find(name); known != session_functions_.end()) {
    return known->second;
  }
  const Script& script = read(given->second);
  const bool readable = script.trouble.empty() && script.list.pipelines.size() == 1 &&
                        script.list.pipelines[0].commands[0].kind == ShellCommand::Kind::function;
  if (!readable) {
    findings_.say_unclear("unreadable command text", "the function " + name + " cannot be read",
                          &seen);
  }
  const ShellCommand* const function = readable ? &script.list.pipelines[0].commands[0] : nullptr;
  session_functions_[name] = function;
  if (function != nullptr) calls_between_.add(*function);
  return function;
}

void ShellState::define(const ShellCommand& function) {
  calls_between_.add(function);
  ShellValue value;
  value.function = &function;
  variables_.set(function_key(function.name), std::move(value));
}

// A function that calls itself is followed twice, and then once more for whatever it may be given
// and find; that covers all other calls. False: it needs no walk.
bool ShellState::widen(const ShellCommand& function, std::vector<SeenWord>& arguments,
                       bool& widened) {
  int same = 0;
  const Call* outermost = nullptr;
  for (const Call& call : calls_) {
    if (call.function != &function) continue;
    ++same;
    if (outermost == nullptr) outermost = &call;
    widened = widened || call.widened;
    // nothing has changed: the same happens again
    if (variables_.mark() == call.mark && same_words(call.arguments, arguments)) return false;
  }
  if (same < kMaxSame) return true;
  std::vector<std::string> changed = variables_.changed(outermost->mark);
  std::erase(changed, "@");
  variables_.doubt(changed);
  if (widened) return false;
  widened = true;
  arguments = {any_words()};
  return true;
}

bool ShellState::enter(const ShellCommand& function, std::vector<SeenWord> arguments) {
  if (calls_.size() >= kMaxCalls) {
    findings_.say_too_deep("its functions call functions, too deep to follow");
    return false;
  }
  bool widened = false;
  if (!widen(function, arguments, widened)) return false;
  ShellVariable outer = variables_.all("@");
  set_arguments(arguments);
  calls_.push_back(
      {&function, variables_.mark(), std::move(arguments), widened, std::move(outer), {}});
  now_.in_function = true;
  return true;
}

// What was local becomes again what it was outside.
void ShellState::leave() {
  for (auto& [name, local] : calls_.back().locals) {
    if (local.certain) {
      variables_.put(name, std::move(local.before));
    } else {
      variables_.put_too(name, std::move(local.before));
    }
  }
  variables_.put("@", std::move(calls_.back().outer));
  calls_.pop_back();
  now_.in_function = !calls_.empty();
}

void ShellState::make_local(const std::string& name) {
  if (calls_.empty()) return;
  const auto [local, is_new] = calls_.back().locals.try_emplace(name);
  if (is_new) local->second.before = variables_.all(name);
  if (!is_new && !local->second.certain) {
    const ShellVariable before = local->second.before;  // or it was no local one until now
    const ShellVariable now = variables_.all(name);
    variables_.put_too(name, before);
    local->second.before = variables_.all(name);
    variables_.put(name, now);
  }
  local->second.certain = local->second.certain || now_.sure;
}

// --- aliases

ShellState::Aliases ShellState::aliases_of(const std::string& name) const {
  Aliases aliases;
  const ShellVariable* const changed = variables_.get(alias_key(name));
  const auto given = context_.session.aliases.find(name);
  if (given != context_.session.aliases.end()) {
    aliases.texts.push_back(given->second);
    aliases.plain = changed != nullptr || no_aliases_;
  }
  if (changed == nullptr) return aliases;
  // one of this text counts from its next line on, where aliases are expanded at all
  for (const Value& value : changed->values) {
    if (value->is_known() && !value->items.empty()) {
      aliases.texts.push_back(value->items.front().text);
    }
  }
  return aliases;
}

void ShellState::set_alias(std::string_view name, const SeenWord& text) {
  variables_.set(alias_key(name), {{text}});
}

// An alias counts from the next line on, and only in a shell that expands them.
void ShellState::change_aliases(const SeenCommand& seen) {
  const bool defines = seen.word(0) == "alias";
  no_aliases_ = no_aliases_ || (!defines && has_builtin_option(seen, "a"));
  for (std::size_t i = 1; i < seen.words.size(); ++i) {
    const std::string& word = seen.words[i].text;
    const std::size_t equals = word.find('=');
    if (!defines) {
      ShellVariable before = variables_.all(alias_key(word));
      variables_.unset(alias_key(word));
      variables_.put_too(alias_key(word), std::move(before));
    } else if (equals != std::string::npos) {
      set_alias(std::string_view(word).substr(0, equals), {word.substr(equals + 1)});
    }
  }
}

// --- arguments and options

void ShellState::set_arguments(std::vector<SeenWord> arguments) {
  ShellValue value;
  value.items = std::move(arguments);
  value.array = true;
  variables_.set("@", std::move(value));
}

std::vector<SeenWord> ShellState::arguments() {
  const Value value = variables_.look("@");
  if (!value->is_known()) return {any_words()};
  findings_.budget().spend_words(value->items.size());
  return value->items;
}

void ShellState::shift(const SeenCommand& seen) {
  const Value now = variables_.look("@");
  std::size_t count = 1;
  if (seen.words.size() > 1) {
    const std::string_view word = seen.word(1);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (error != std::errc() || end != word.data() + word.size()) return variables_.forget("@");
  }
  const std::vector<SeenWord>& items = now->items;
  const auto loose = [](const SeenWord& word) { return word.several || word.pattern; };
  if (!now->is_known() || std::ranges::any_of(items, loose)) return variables_.forget("@");
  if (count > items.size()) return;  // it fails
  set_arguments({items.begin() + static_cast<std::ptrdiff_t>(count), items.end()});
}

// set -e -o pipefail -- arguments
void ShellState::set_options(const SeenCommand& seen) {
  std::size_t at = 1;
  bool given = false;
  for (; at < seen.words.size() && !given; ++at) {
    const std::string_view word = seen.word(at);
    if (word == "--" || word == "-") {
      given = true;
      continue;
    }
    if (word.contains(kUnknownPiece)) return variables_.forget("@");
    if (!is_option(word)) break;
    if (word.starts_with('-') && word.contains('k')) say_strange(seen);
    if (word.ends_with('o') && among(seen.word(++at), "posix keyword")) say_strange(seen);
  }
  // `set -` alone leaves them
  const bool none = seen.word(at - 1) == "-" && at == seen.words.size();
  if ((!given && at >= seen.words.size()) || none) return;
  set_arguments({seen.words.begin() + static_cast<std::ptrdiff_t>(at), seen.words.end()});
}

void ShellState::set_shell_options(const SeenCommand& seen) {
  const bool strange = std::ranges::any_of(seen.words, [](const SeenWord& word) {
    return !word.known() || among(word.text, "lastpipe posix xpg_echo cdable_vars");
  });
  if (strange) say_strange(seen);
}

void ShellState::say_strange(const SeenCommand& seen) {
  findings_.say_unclear("option of the shell changes its meaning",
                        "what the text does with this option is not followed", &seen);
}

// --- declarations

// What a declaration says of a name besides its value.
void ShellState::declare_name(const SeenCommand& seen, const std::string& name) {
  const std::string_view builtin = seen.word(0);
  const bool local = among(builtin, "local declare typeset");
  if (local && !calls_.empty()) {
    if (!has_builtin_option(seen, "g")) {
      make_local(name);
      if (has_builtin_option(seen, "I")) {
        variables_.forget(name);
      } else {
        variables_.put(name, {.values = {Variables::unset_value()}});
      }
    } else if (std::ranges::any_of(calls_,
                                   [&](const Call& call) { return call.locals.contains(name); })) {
      variables_.forget_all();  // it changes the one outside
      for (Call& call : calls_) call.locals.erase(name);
    }
  }
  if (builtin != "export" && has_builtin_option(seen, "lucin")) variables_.make_opaque(name);
}

std::vector<std::string> ShellState::declare(const SeenCommand& seen) {
  const std::string_view builtin = seen.word(0);
  std::vector<std::string> exported;
  if (builtin != "export" && has_builtin_option(seen, "fFp")) return exported;
  const bool fixed =
      builtin == "readonly" || (builtin != "export" && has_builtin_option(seen, "r"));
  bool options = true;
  for (std::size_t i = 1; i < seen.words.size(); ++i) {
    const std::string& word = seen.words[i].text;
    if (options && is_option(word)) {
      options = word != "--";
      continue;
    }
    options = false;
    const std::size_t equals = word.find('=');
    const bool assigns = equals != std::string::npos && equals > 0;
    const bool appends = assigns && word[equals - 1] == '+';
    const std::string whole = word.substr(0, assigns ? equals - (appends ? 1 : 0) : word.size());
    const std::string name = without_index(whole);
    if (whole.contains(kUnknownPiece)) {
      variables_.forget_all();
      continue;
    }
    if (!among(builtin, "export readonly") && has_builtin_option(seen, "n")) {
      findings_.say_unclear("variable is not known", name + " stands for another variable", &seen);
      variables_.forget_all();
    }
    declare_name(seen, name);
    if (appends || whole.contains('[')) {
      variables_.forget(name);
    } else if (assigns) {
      SeenWord value = seen.words[i];
      value.text.erase(0, equals + 1);
      variables_.set(name, {{std::move(value)}});
    } else if (builtin == "export" || has_builtin_option(seen, "x")) {
      exported.push_back(name);
    }
    if (fixed) variables_.make_fixed(name);
  }
  return exported;
}

void ShellState::unset_name(const std::string& name, bool functions, bool variables) {
  const std::string key = function_key(name);
  if (functions) return variables_.unset(key);
  const bool function = variables_.has(key) || context_.session.functions.contains(name);
  const std::vector<Value> before = variables_.all(name).values;
  const bool outer = calls_.size() > 1 &&
                     std::any_of(calls_.begin(), calls_.end() - 1,
                                 [&](const Call& call) { return call.locals.contains(name); });
  if (outer) {
    variables_.forget(name);  // the one outside it comes to light
  } else {
    variables_.unset(name);
  }
  const bool is_variable =
      std::ranges::all_of(before, [](const Value& value) { return value->is_known(); });
  if (variables || !function || is_variable) return;
  ShellVariable was = variables_.all(key);
  variables_.unset(key);
  if (!std::ranges::all_of(
          before, [](const Value& value) { return value->kind == ShellValue::Kind::unset; })) {
    variables_.put_too(key, std::move(was));
  }
}

void ShellState::unset(const SeenCommand& seen) {
  if (has_builtin_option(seen, "n")) return variables_.forget_all();
  for (std::size_t i = 1; i < seen.words.size(); ++i) {
    const SeenWord& word = seen.words[i];
    if (is_option(word.text)) continue;
    if (!word.known()) {
      variables_.forget_all();
    } else if (word.text.contains('[')) {
      variables_.forget(without_index(word.text));
    } else {
      unset_name(word.text, has_builtin_option(seen, "f"), has_builtin_option(seen, "v"));
    }
  }
}

std::vector<std::string> ShellState::forget_read(const SeenCommand& seen) {
  const std::string_view valued = seen.word(0) == "read" ? "dinNptu" : "CcdnOsu";
  std::vector<std::string> names;
  for (std::size_t i = 1; i < seen.words.size(); ++i) {
    const SeenWord& word = seen.words[i];
    if (is_option(word.text)) {
      if (valued.contains(word.text.back())) ++i;
    } else if (!word.known()) {
      variables_.forget_all();
    } else {
      names.push_back(without_index(word.text));
      variables_.forget(names.back());
    }
  }
  if (seen.input.text && seen.word(0) != "getopts") {
    const bool one = seen.word(0) == "read";
    if (names.empty()) names.emplace_back(one ? "REPLY" : "MAPFILE");
    auto lines = values_of_lines(*seen.input.text, one ? names.size() : 0);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].empty()) variables_.set_any(names[i], lines[i]);
    }
    if (!one) variables_.set(names.back(), array_of_lines(*seen.input.text));
    return names;
  }
  std::vector<Value> values;  // of a list of paths: the last name gets one, or all of them
  for (const std::string& path : seen.input.paths) {
    values.push_back(std::make_shared<const ShellValue>(
        ShellValue{{listed_word(path)}, seen.word(0) != "read"}));
  }
  if (!names.empty() && !values.empty()) variables_.set_any(names.back(), values);
  for (const char* name : {"REPLY", "MAPFILE", "OPTARG", "OPTIND"}) variables_.forget(name);
  return names;
}

}  // namespace talaria::guard
