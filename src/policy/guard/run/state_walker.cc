// Builtins of the shell that change variables, functions, aliases, arguments or the directory.
#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "policy/guard/run/walker.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

bool is_variable_name(std::string_view name) {
  return !name.empty() && is_name_start(name.front()) && std::ranges::all_of(name, is_name_char);
}

bool is_option(std::string_view word) {
  return word.size() > 1 && (word.front() == '-' || word.front() == '+');
}

// Whether one of its options has one of the letters.
bool has_option(const SeenCommand& seen, std::string_view letters) {
  for (std::size_t i = 1; i < seen.words.size() && is_option(seen.word(i)); ++i) {
    if (seen.word(i) == "--") break;
    if (seen.word(i).find_first_of(letters, 1) != std::string_view::npos) return true;
  }
  return false;
}

std::string_view before_index(std::string_view name) { return name.substr(0, name.find('[')); }

}  // namespace

// What a declaration says of a name besides its value.
void Walker::declare_name(const SeenCommand& seen, const std::string& name) {
  const std::string_view builtin = seen.word(0);
  const bool local = builtin == "local" || builtin == "declare" || builtin == "typeset";
  if (local && !calls_.empty()) {
    if (!has_option(seen, "g")) {
      make_local(name);
      if (has_option(seen, "I")) {
        variables_.forget(name);
      } else {
        variables_.put(name, {.values = {std::make_shared<const ShellValue>(
                                  ShellValue{.kind = ShellValue::Kind::unset})}});
      }
    } else if (std::ranges::any_of(calls_,
                                   [&](const Call& call) { return call.locals.contains(name); })) {
      variables_.forget_all();  // it changes the one outside
      for (Call& call : calls_) call.locals.erase(name);
    }
  }
  if (builtin == "export") return;
  if (has_option(seen, "lucin")) variables_.make_opaque(name);
}

void Walker::declare(const SeenCommand& seen) {
  const std::string_view builtin = seen.word(0);
  if (builtin != "export" && has_option(seen, "fFp")) return;
  const bool fixed = builtin == "readonly" || (builtin != "export" && has_option(seen, "r"));
  const bool refers = builtin != "export" && builtin != "readonly" && has_option(seen, "n");
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
    const std::string name = word.substr(0, assigns ? equals - (appends ? 1 : 0) : word.size());
    if (name.contains(kUnknownPiece)) {
      variables_.forget_all();
      continue;
    }
    if (refers) {
      const std::string target = assigns ? word.substr(equals + 1) : "";
      make_local(name);
      if (!is_variable_name(target) || target == name || !sure_) {
        say_unclear("variable is not known",
                    name + " stands for a variable that is known only when it runs", &seen);
      }
      variables_.refer(name, target);
      continue;
    }
    declare_name(seen, std::string(before_index(name)));
    if (appends || name.contains('[')) {
      variables_.forget(std::string(before_index(name)));
    } else if (assigns) {
      SeenWord value = seen.words[i];
      value.text.erase(0, equals + 1);
      variables_.set(name, {{std::move(value)}});
    } else if (builtin == "export" || has_option(seen, "x")) {
      note_exported(name);
    }
    if (fixed) variables_.make_fixed(std::string(before_index(name)));
  }
}

void Walker::unset_name(const std::string& name, bool functions, bool variables) {
  const bool either = !functions && !variables;
  const std::string key = function_key(name);
  const bool function = variables_.has(key) || context_.session.functions.contains(name);
  if (functions) return variables_.unset(key);
  const bool outer = calls_.size() > 1 &&
                     std::any_of(calls_.begin(), calls_.end() - 1,
                                 [&](const Call& call) { return call.locals.contains(name); });
  const std::vector<Value> before = variables_.all(name).values;
  if (outer) {
    variables_.forget(name);  // the one outside it comes to light
  } else {
    variables_.unset(name);
  }
  if (!either || !function) return;
  const bool is_variable =
      std::ranges::all_of(before, [](const Value& value) { return value->is_known(); });
  if (is_variable) return;
  ShellVariable was = variables_.all(key);
  variables_.unset(key);
  if (!std::ranges::all_of(
          before, [](const Value& value) { return value->kind == ShellValue::Kind::unset; })) {
    variables_.put_too(key, std::move(was));
  }
}

void Walker::unset(const SeenCommand& seen) {
  const bool functions = has_option(seen, "f");
  const bool variables = has_option(seen, "v");
  if (has_option(seen, "n")) return variables_.forget_all();
  for (std::size_t i = 1; i < seen.words.size(); ++i) {
    const SeenWord& word = seen.words[i];
    if (is_option(word.text)) continue;
    if (!word.known()) {
      variables_.forget_all();
    } else if (word.text.contains('[')) {
      variables_.forget(std::string(before_index(word.text)));
    } else {
      unset_name(word.text, functions, variables);
    }
  }
}

// set -e -o pipefail -- arguments
void Walker::set_options(const SeenCommand& seen) {
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
    if (word.ends_with('o')) {
      posix_ = posix_ || seen.word(at + 1) == "posix";
      ++at;
    }
  }
  // `set -` alone leaves them
  const bool none = seen.word(at - 1) == "-" && at == seen.words.size();
  if ((!given && at >= seen.words.size()) || none) return;
  expander_.set_arguments({seen.words.begin() + static_cast<std::ptrdiff_t>(at), seen.words.end()});
}

void Walker::shift(const SeenCommand& seen) {
  const Value now = variables_.look("@");
  std::size_t count = 1;
  if (seen.words.size() > 1) {
    const std::string_view word = seen.word(1);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (error != std::errc() || end != word.data() + word.size()) return variables_.forget("@");
  }
  if (!now->is_known()) return variables_.forget("@");
  const std::vector<SeenWord>& items = now->items;
  const bool loose =
      std::ranges::any_of(items, [](const SeenWord& word) { return word.several || word.pattern; });
  if (loose) return variables_.forget("@");
  if (count > items.size()) return;  // it fails
  expander_.set_arguments({items.begin() + static_cast<std::ptrdiff_t>(count), items.end()});
}

// read, mapfile, getopts: what they set is known only when they run.
void Walker::read_names(const SeenCommand& seen) {
  const bool reads = seen.word(0) == "read";
  for (std::size_t i = 1; i < seen.words.size(); ++i) {
    const SeenWord& word = seen.words[i];
    if (is_option(word.text)) {
      const bool takes = std::string_view(reads ? "dinNptu" : "CcdnOsu").contains(word.text.back());
      i += takes ? 1 : 0;
    } else if (!word.known()) {
      variables_.forget_all();
    } else {
      variables_.forget(std::string(before_index(word.text)));
      note_exported(std::string(before_index(word.text)));
    }
  }
  for (const char* name : {"REPLY", "MAPFILE", "OPTARG", "OPTIND"}) variables_.forget(name);
}

// An alias counts from the next line on, and only in a shell that expands them.
void Walker::change_aliases(const SeenCommand& seen) {
  const bool defines = seen.word(0) == "alias";
  no_aliases_ = no_aliases_ || (!defines && has_option(seen, "a"));
  for (std::size_t i = 1; i < seen.words.size(); ++i) {
    const SeenWord& word = seen.words[i];
    const std::size_t equals = word.text.find('=');
    if (!defines) {
      ShellVariable before = variables_.all(alias_key(word.text));
      variables_.unset(alias_key(word.text));
      variables_.put_too(alias_key(word.text), std::move(before));
    } else if (equals != std::string::npos) {
      const std::string key = alias_key(std::string_view(word.text).substr(0, equals));
      variables_.set(key, {{SeenWord{word.text.substr(equals + 1)}}});
    }
  }
}

Walker::Place Walker::place() {
  const ShellValue* const set = variables_.find(std::string(kDirectoryKey));
  if (set == nullptr || !set->items.front().known()) return {};
  return {set->items.front().text, set->items.size() > 1};
}

void Walker::change_directory(const SeenCommand& seen) {
  const std::string key(kDirectoryKey);
  ++moves_;
  std::size_t at = 1;
  while (among(seen.word(at), "-L -P -e -@ --")) ++at;
  const SeenWord to = at < seen.words.size() ? seen.words[at] : SeenWord{expander_.home()};
  const std::string& from = seen.directory;
  variables_.reset("PWD");
  variables_.forget("OLDPWD");
  const bool relative = !to.text.starts_with('/');
  if (seen.word(0) == "popd" || !to.known() || to.text.starts_with('-') ||
      to.text.starts_with('+') || (relative && from.empty() && !seen.from_start)) {
    return variables_.forget(key);
  }
  if (!relative) return variables_.set(key, {{{to.text}}});
  ShellValue now{{{from.empty() ? "" : from + "/" + to.text}}};
  if (seen.from_start) now.items.push_back({"from the start"});
  variables_.set(key, std::move(now));
}

}  // namespace talaria::guard
