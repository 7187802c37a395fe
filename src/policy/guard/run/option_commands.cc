#include "policy/guard/run/option_commands.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "policy/guard/run/option_table.h"
#include "policy/guard/run/parameter.h"
#include "policy/guard/run/possible_commands.h"
#include "policy/guard/run/wrapper.h"
#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxAliasWords = 64;
constexpr std::size_t kMaxBinding = 16 * 1024;

// Calls `use(i, value)` with each value of the option: `i` is the word behind it.
template <class Use>
void for_each_value(const SeenCommand& command, char letter, std::string_view name, Use use) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (word == "--" && !among(command.program, "su capsh")) return;  // which pass it on
    std::size_t end = word.size();  // of the option, if a value is attached to it
    if (word.starts_with("--")) {
      end = std::min(word.find('='), word.size());
      if (!is_long_option(word.substr(2, end - 2), name)) continue;
      end += end < word.size() ? 1 : 0;
    } else {
      if (word.size() < 2 || word.front() != '-' || letter == '\0') continue;
      end = word.find(letter, 1);
      if (end++ == std::string_view::npos) continue;
    }
    if (end < word.size() || word.ends_with('=')) {
      use(i + 1, SeenWord{std::string(word.substr(end))});
    } else if (i + 1 < command.words.size()) {
      use(i + 2, command.words[i + 1]);
    }
  }
}

// The first operand that is one of the sub-commands.
bool has_verb(const SeenCommand& command, std::string_view verbs) {
  if (verbs.empty()) return true;
  if (command.program == "git") {
    const std::size_t at = git_verb_at(command);
    return at < command.words.size() && among(command.word(at), verbs);
  }
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (!command.word(i).starts_with('-')) return among(command.word(i), verbs);
  }
  return false;
}

// The command of KEY=command, or nothing.
std::string behind_key(const std::string& setting, std::string_view keys) {
  const std::size_t end = std::min(setting.find_first_of("= "), setting.size());
  const std::string key = lower_case(setting.substr(0, end));
  while (!keys.empty()) {
    if (!matches_pattern(next_word(keys), key)) continue;
    return setting.substr(std::min(setting.find_first_not_of("= -@:+!", end), setting.size()));
  }
  return "";
}

void add_option(const SeenCommand& command, const RunOption& option,
                std::vector<InnerCommand>& inner) {
  for_each_value(command, option.letter, option.name, [&](std::size_t at, SeenWord value) {
    if (!option.keys.empty()) value.text = behind_key(value.text, option.keys);
    if (!option.keys.empty() && (value.text.empty() || lower_case(value.text) == "none")) return;
    if (option.runs == Runs::empties) {
      return inner.push_back({.words = {{"rm"}, {"-rf"}, std::move(value)}});
    }
    if (option.runs != Runs::words) {
      inner.push_back(run_text(std::move(value), option.runs == Runs::elsewhere));
      inner.back().fed = option.runs == Runs::filter;
      return;
    }
    InnerCommand run;
    run.words.push_back(std::move(value));
    std::ranges::move(words_from(command, at), std::back_inserter(run.words));
    inner.push_back(std::move(run));
  });
}

// A setting of git as KEY and VALUE.
void add_setting(std::string_view key, SeenWord value, std::vector<InnerCommand>& inner) {
  const std::string name = lower_case(key);
  const bool shell = value.text.starts_with('!');
  if (name.starts_with("alias.")) {
    inner.push_back(run_text({shell ? value.text.substr(1) : "git " + value.text}));
    return;
  }
  const bool is_switch = value.text.empty() || among(value.text, "true false yes no on off 0 1");
  if (!is_run_setting(name) || is_switch) return;
  const bool helper = name.ends_with(".helper") || name.ends_with(".update");
  if (shell) value.text.erase(0, 1);
  // `store` is git's own helper of that name, `merge` a way to update
  if (helper && !shell && !value.text.starts_with('/')) return;
  inner.push_back(run_text(std::move(value)));
}

void add_git(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const std::size_t verb = git_verb_at(command);
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    std::string_view setting = command.word(i);
    if (setting.starts_with("ext::")) {  // an address that is a command
      inner.push_back(run_text({std::string(setting.substr(5))}));
    }
    if (among(setting, "-c --config")) {
      setting = command.word(++i);
    } else if (setting.starts_with("--config=")) {
      setting.remove_prefix(9);
    } else {
      continue;
    }
    const std::size_t equals = setting.find('=');
    if (equals == std::string_view::npos) continue;
    SeenWord value{std::string(setting.substr(equals + 1))};
    const std::string_view key = setting.substr(0, equals);
    if (key.size() > 6 && key.substr(6) == command.word(verb)) {  // an alias that is used
      const std::size_t end = std::min(command.words.size(), verb + kMaxAliasWords);
      for (std::size_t n = verb + 1; n < end; ++n) value.text += " " + command.words[n].text;
    }
    add_setting(key, std::move(value), inner);
  }
  const std::string_view name = command.word(verb);
  for (std::size_t i = verb + 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (name == "bisect" && word == "run") {
      inner.push_back({.words = words_from(command, i + 1)});
    } else if (among(name, "submodule subtree") && word == "foreach") {
      const bool option = command.word(i + 1).starts_with('-');
      inner.push_back(run_text(joined(words_from(command, i + (option ? 2 : 1)))));
      return;
    } else if (name == "config" && word.contains('.') && i + 1 < command.words.size()) {
      add_setting(word, command.words[i + 1], inner);  // git config [set] KEY VALUE
    }
  }
}

// fzf --bind 'enter:execute(command)'
void add_bindings(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  for_each_value(command, '\0', "bind", [&](std::size_t, const SeenWord& value) {
    std::size_t at = 0;
    const std::size_t end = std::min(value.text.find_last_of(")]}"), kMaxBinding);
    for (int count = 0; count < 16 && (at = value.text.find_first_of("([{", at)) < end; ++count) {
      ++at;
      inner.push_back(run_text({value.text.substr(at, end - at)}));
    }
  });
}

// zip -TT command, less +!command, dc -e '!command', npm pkg set scripts.x=command
void add_others(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const std::string& program = command.program;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    const std::size_t mark = std::min(word.find(program.ends_with("npm") ? '=' : '!'), word.size());
    const bool marked = program == "dc" || word.starts_with("+!") || word.starts_with("++!") ||
                        (program.ends_with("npm") && word.starts_with("scripts"));
    if (program == "zip" && word == "-TT" && i + 1 < command.words.size()) {
      inner.push_back(run_text(command.words[i + 1]));
    } else if (marked && mark < word.size()) {
      inner.push_back(run_text({std::string(word.substr(mark + 1))}));
    }
  }
}

// What a line of an editor, a debugger or a database client has a shell run: !command, shell
// command.
std::string_view escaped_command(std::string_view line) {
  line = trim(line);
  while (line.starts_with(':') || line.starts_with('+') || line.starts_with('%')) {
    line.remove_prefix(1);
  }
  for (const std::string_view start : {"silent! ", "silent ", "sil ", "platform "}) {
    if (line.starts_with(start)) line = trim(line.substr(start.size()));
  }
  for (const std::string_view start : {"!", "r !", "r!", "read !", "w !", "\\!", "shell ", "make ",
                                       "system ", ".shell ", ".system ", "term ", "terminal "}) {
    if (line.starts_with(start)) return line.substr(start.size());
  }
  return "";
}

// vim -c '!command', gdb -ex 'shell command', psql -c '\! command', sqlite3 x '.shell command'
void add_escapes(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view escape = escaped_command(command.word(i));
    if (!escape.empty()) inner.push_back(run_text({with_unknown_variable(escape)}));
    constexpr std::string_view kCall = "system(";  // system('command')
    const std::string_view word = command.word(i);
    const std::size_t call = word.find(kCall);
    if (call == std::string_view::npos || call + kCall.size() >= word.size()) continue;
    const char quote = word[call + kCall.size()];
    const std::string_view text = word.substr(call + kCall.size() + 1);
    if (quote != '\'' && quote != '"') continue;
    inner.push_back(run_text({with_unknown_variable(text.substr(0, text.find(quote)))}));
  }
}

// hyperfine 'a' 'b': every operand is a text; that of an option does no harm as one
void add_measured(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (!command.word(i).starts_with('-')) inner.push_back(run_text(command.words[i]));
  }
}

void add_assigned(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  add_variable_commands(assignments_in(command), inner);
}

// A variable that says what a command empties or writes.
struct PlaceVariable {
  std::string_view programs;  // between blanks; "": all
  std::string_view verbs;     // "": any
  std::string_view variable;  // "X*": whatever begins so
  bool empties;               // else it writes there
};
constexpr PlaceVariable kPlaceVariables[] = {
    {"go", "clean", "GOMODCACHE", true},
    {"go", "clean", "GOCACHE", true},
    {"go", "install get", "GOBIN", false},
    {"cargo", "clean", "CARGO_TARGET_DIR", true},
    {"uv", "cache", "UV_CACHE_DIR", true},
    {"pip pip3", "cache", "PIP_CACHE_DIR", true},
    {"pip pip3", "install", "PIP_TARGET", false},
    {"yarn", "cache", "YARN_CACHE_FOLDER", true},
    {"coverage", "erase", "COVERAGE_FILE", true},
    {"git", "", "GIT_TRACE*", false},
    {"", "", "SSLKEYLOGFILE", false},
    {"", "", "LLVM_PROFILE_FILE", false},
    {"", "", "NODE_V8_COVERAGE", false},
    {"", "", "LD_DEBUG_OUTPUT", false},
};

void add_places(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  for (const auto& [name, value] : command.variables) {
    for (const PlaceVariable& place : kPlaceVariables) {
      if (!matches_pattern(place.variable, name)) continue;
      if (!place.programs.empty() && !among(command.program, place.programs)) continue;
      if (!has_verb(command, place.verbs) || among(value.text, "0 1 2 true")) continue;
      inner.push_back(
          {.words = {{place.empties ? "rm" : "tee"}, {place.empties ? "-rf" : "-a"}, value}});
    }
  }
}

struct OptionReader {
  std::string_view programs;
  void (*read)(const SeenCommand& command, std::vector<InnerCommand>& inner);
};
constexpr OptionReader kOptionReaders[] = {
    {"git", add_git},
    {"fzf sk", add_bindings},
    {"zip less dc npm pnpm", add_others},
    {"hyperfine", add_measured},
    {"vim vi nvim ex view gvim gdb cgdb lldb psql mysql mariadb sqlite3", add_escapes},
    {"env sudo export declare typeset readonly local cross-env systemd-run", add_assigned},
};

// Of a variable the program counts: what its arguments are may be known only when it runs.
SeenWord with_known_program(std::string_view text) {
  const std::size_t unknown = text.find(kUnknownPiece);
  const bool program = unknown < text.find_first_of(" \t");
  return {program ? std::string(text) : with_unknown_variable(text)};
}

}  // namespace

// export NAME=value, env NAME=value command, systemd-run --setenv=NAME=value
std::vector<SeenAssignment> assignments_in(const SeenCommand& command) {
  std::vector<SeenAssignment> variables;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    std::string_view word = command.word(i);
    if (word.starts_with("--setenv=")) word.remove_prefix(9);
    if (!is_assignment(word)) continue;
    const std::size_t equals = word.find('=');
    variables.push_back(
        {std::string(word.substr(0, equals)), {std::string(word.substr(equals + 1))}});
  }
  return variables;
}

std::vector<SeenWord> option_values(const SeenCommand& command, char letter,
                                    std::string_view name) {
  std::vector<SeenWord> values;
  for_each_value(command, letter, name,
                 [&](std::size_t, SeenWord value) { values.push_back(std::move(value)); });
  return values;
}

std::size_t git_verb_at(const SeenCommand& command) {
  std::size_t at = 1;
  for (; at < command.words.size() && command.word(at).starts_with('-'); ++at) {
    if (among(command.word(at),
              "-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix "
              "--attr-source")) {
      ++at;
    }
  }
  return std::min(at, command.words.size());
}

bool is_run_setting(std::string_view key) {
  const std::string name = lower_case(key);
  return std::ranges::any_of(
      kRunSettings, [&](std::string_view pattern) { return matches_pattern(pattern, name); });
}

void add_option_commands(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  static const NameIndex<RunOption> options(kRunOptions, &RunOption::programs);
  static const NameIndex<OptionReader> readers(kOptionReaders, &OptionReader::programs);
  for (const RunOption* option : options.find(command.program)) {
    if (has_verb(command, option->verbs)) add_option(command, *option, inner);
  }
  for (const OptionReader* reader : readers.find(command.program)) reader->read(command, inner);
  add_places(command, inner);
  add_possible_commands(command, inner);
}

bool is_watched_variable(std::string_view name) {
  return std::ranges::any_of(kWatchedStarts, [&](std::string_view start) {
    return name.starts_with(start.front()) && name.starts_with(start);
  });
}

// CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER
static bool is_cargo_runner(std::string_view name) {
  return name.starts_with("CARGO_TARGET_") &&
         (name.ends_with("_RUNNER") || name.ends_with("_LINKER"));
}

bool is_run_variable(std::string_view name) {
  static const auto names = [] {
    std::unordered_set<std::string_view> all;
    for (std::string_view rest = kRunVariables; !rest.empty();) all.insert(next_word(rest));
    for (std::string_view rest = kToolVariables; !rest.empty();) all.insert(next_word(rest));
    for (const OptionVariable& one : kOptionVariables) all.insert(one.name);
    return all;
  }();
  return names.contains(name) || name.starts_with("GIT_CONFIG_") || is_cargo_runner(name);
}

// More than the name of a tool, and no options.
void add_tool_command(std::string_view text, std::vector<InnerCommand>& inner) {
  const bool more = text.find_first_of(" ;|&`<>\n") != std::string_view::npos;
  const bool unknown = text.find(kUnknownPiece) < text.find_first_of(" \t");
  if (!more || unknown || text.front() == '-' || text.front() == '$') return;
  std::string script = with_unknown_variable(text);
  if (read_script(script).trouble.empty()) inner.push_back(run_text({std::move(script)}));
}

void add_variable_commands(const std::vector<SeenAssignment>& variables,
                           std::vector<InnerCommand>& inner) {
  for (const auto& [name, value] : variables) {
    if (among(name, kToolVariables)) add_tool_command(value.text, inner);
    if (among(name, kRunVariables) || is_cargo_runner(name)) {
      std::string_view text = value.text;
      if (name.starts_with("LESS")) {  // "|command %s" reads what it prints
        text.remove_prefix(std::min(text.find_first_not_of("|-"), text.size()));
      }
      if (!text.empty()) inner.push_back(run_text(with_known_program(text)));
    }
    for (const OptionVariable& one : kOptionVariables) {
      if (one.name == name && !value.text.empty()) {
        inner.push_back(run_text(with_known_program(std::string(one.program) + " " + value.text)));
      }
    }
    if (name.starts_with("GIT_CONFIG_KEY_")) {
      const auto set = std::ranges::find(variables, "GIT_CONFIG_VALUE_" + name.substr(15),
                                         &SeenAssignment::name);
      if (set == variables.end()) continue;
      add_setting(value.text, set->value, inner);
      const std::string setting = value.text + "=" + with_unknown_as("$x", set->value.text);
      if (setting.contains('\'')) continue;
      inner.push_back(run_text({"git -c '" + setting + "' status"}));  // for the rules of git
    }
  }
}

}  // namespace talaria::guard
