#include "policy/guard/user_rules.h"

#include <algorithm>
#include <span>
#include <utility>

#include "policy/guard/run/parameter.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using Words = std::span<const std::string>;

// `git -C . push` begins like `git push`: options may stand between, also with a value.
bool continues_with(const SeenCommand& command, std::size_t at, Words argv) {
  if (argv.empty()) return true;
  if (at >= command.words.size()) return false;
  if (command.word(at) == argv.front()) return continues_with(command, at + 1, argv.subspan(1));
  if (!command.word(at).starts_with('-')) return false;
  return continues_with(command, at + 1, argv) || continues_with(command, at + 2, argv);
}

// What is allowed is what somebody wrote down; what is not is meant however it is written.
bool begins_with(const SeenCommand& command, const UserRule& rule) {
  const Words argv = rule.argv;
  if (argv.empty()) return true;
  const bool wide = rule.answer != Answer::allow;
  const bool program = !argv[0].contains('/') && !command.words.empty();
  if (wide && argv.size() > 1 && command.program == argv[0] + "-" + argv[1]) {  // git-push
    return continues_with(command, 1, argv.subspan(2));
  }
  if (program ? command.program != argv[0] : command.word(0) != argv[0]) return false;
  if (wide) return continues_with(command, 1, argv.subspan(1));
  for (std::size_t i = 1; i < argv.size(); ++i) {
    if (i >= command.words.size() || command.word(i) != argv[i]) return false;
  }
  return true;
}

// Whether a name may exist that both patterns match; [a-z] counts as any character.
bool may_be_same(std::string_view one, std::string_view other) {
  // same[i]: whether what is before `at` of the other one can be what is before i of this one
  std::vector<bool> same(one.size() + 1);
  for (std::size_t at = 0; at <= other.size(); ++at) {
    std::vector<bool> next(one.size() + 1);
    for (std::size_t i = 0; i <= one.size(); ++i) {
      const char here = i > 0 ? one[i - 1] : '\0';
      const char there = at > 0 ? other[at - 1] : '\0';
      const bool any = here == '?' || there == '?' || here == there;
      const bool taken = there != '/' && same[i];  // by a star of a word, which ends at a slash
      next[i] = (i == 0 && at == 0) || (i > 0 && here == '*' && (next[i - 1] || taken)) ||
                (at > 0 && there == '*' && (same[i] || (i > 0 && next[i - 1]))) ||
                (i > 0 && at > 0 && any && same[i - 1]);
    }
    same = std::move(next);
  }
  return same[one.size()];
}

std::string without_sets(std::string_view pattern) {
  std::string simple;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const std::size_t end = pattern[at] == '[' ? pattern.find(']', at + 2) : std::string_view::npos;
    simple += end == std::string_view::npos ? pattern[at] : '?';
    if (end != std::string_view::npos) at = end;
  }
  return simple;
}

// make CC=x --eval=y -C z: not the command that somebody allowed
bool changes_command(std::string_view program, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  if (program == "git") return among(name, "--upload-pack --receive-pack --exec --exec-path");
  if (!among(program, "make gmake")) return false;
  if (!word.starts_with('-')) return name.size() < word.size();
  return among(name, "--eval --directory --file --makefile --include-dir") ||
         (word.size() > 1 && std::string_view("ECfI").contains(word[1]));
}

bool writes_file(const SeenRedirect& redirect) {
  return redirect.writes() && redirect.target.text != "/dev/null";
}

// Whether it is no more than what was allowed.
bool is_allowed_alone(const SeenCommand& command, const UserRule& rule) {
  // what LD_PRELOAD or GIT_EDITOR in front make of it was not what somebody allowed, nor was a file
  // with the name of the program
  if (!command.variables.empty()) return false;
  if (!rule.argv.empty() && !rule.argv[0].contains('/') && !command.is_by_name()) return false;
  if (std::ranges::any_of(command.redirects, writes_file)) return false;
  for (std::size_t i = rule.argv.size(); i < command.words.size(); ++i) {
    if (i > 0 && changes_command(command.program, command.word(i))) return false;
  }
  return true;
}

bool leads_up(std::string_view path) {
  return path == ".." || path.starts_with("../") || path.ends_with("/..") || path.contains("/../");
}

// Whether every path of it is one that was allowed. ".." may lead anywhere through a link.
bool has_only_paths(const Arguments& arguments, const UserRule& rule) {
  const std::string folded = arguments.paths.folded(rule.path);
  bool any = false;
  for (std::size_t i = std::max<std::size_t>(rule.argv.size(), 1);
       i < arguments.command.words.size(); ++i) {
    const SeenWord& word = arguments.command.words[i];
    if (word.text.starts_with('-')) continue;
    const std::string path = arguments.paths.folded(arguments.resolved(word).text);
    if (!word.known() || leads_up(word.text) || !matches_pattern(folded, path)) return false;
    any = true;
  }
  return any;
}

// Also the path in of=path and --file=path, and whatever a pattern among its words may stand for.
bool names_path(const Arguments& arguments, const UserRule& rule) {
  const SeenCommand& command = arguments.command;
  const std::string folded = arguments.paths.folded(rule.path);
  const auto matches = [&](std::string_view text, bool pattern) {
    for (const std::string_view start : {"file://", "@"}) {  // curl file:///x, curl -d @x
      if (text.starts_with(start)) text.remove_prefix(start.size());
    }
    const std::string path = arguments.paths.folded(arguments.resolved({std::string(text)}).text);
    return matches_pattern(rule.path, text) || matches_pattern(folded, path) ||
           folded == path + "/*" ||  // the directory: all that is below it
           (pattern && may_be_same(without_sets(path), folded));
  };
  const auto word_matches = [&](const SeenWord& word) {
    if (!word.known()) return false;
    const std::size_t equals = word.text.find('=');
    return matches(word.text, word.pattern) ||
           (equals != std::string::npos && equals + 1 < word.text.size() &&
            matches(std::string_view(word.text).substr(equals + 1), word.pattern));
  };
  return std::ranges::any_of(command.words, word_matches) ||
         std::ranges::any_of(command.redirects, [&](const SeenRedirect& redirect) {
           return word_matches(redirect.target);
         });
}

}  // namespace

const UserRule* find_user_rule(const GuardContext& context, const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  const UserRule* strictest = nullptr;
  for (const UserRule& rule : context.rules) {
    if (!rule.target.empty() && rule.target != context.target) continue;
    if (rule.argv.empty() && rule.path.empty()) continue;  // it would be for everything
    if (!begins_with(command, rule)) continue;
    if (rule.answer == Answer::allow) {
      if (!is_allowed_alone(command, rule)) continue;
      if (!rule.path.empty() && !has_only_paths(arguments, rule)) continue;
    } else if (!rule.path.empty() && !names_path(arguments, rule)) {
      continue;
    }
    if (strictest == nullptr || rule.answer > strictest->answer) strictest = &rule;
  }
  return strictest;
}

std::string user_rule_key(const UserRule& rule) {
  std::string key = "your rule:";
  for (const std::string& word : rule.argv) key += " " + word;
  if (!rule.path.empty()) key += " (path " + rule.path + ")";
  return key;
}

}  // namespace talaria::guard
