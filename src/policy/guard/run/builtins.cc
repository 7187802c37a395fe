#include "policy/guard/run/builtins.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/walk.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxTraps = 64;

// Programs that print text to be evaluated, and do nothing else worth a question.
constexpr std::string_view kMadeForEval =
    "ssh-agent pyenv rbenv nodenv goenv jenv direnv conda mamba micromamba starship zoxide brew "
    "fnm opam luarocks dircolors register-python-argcomplete kubectl minikube docker-machine "
    "thefuck gh mise rtx asdf fasd atuin fzf helm lesspipe resize keychain poetry guix oh-my-posh "
    "hub";

bool made_for_eval(const std::vector<std::string>& programs) {
  return !programs.empty() && std::ranges::all_of(programs, [](const std::string& program) {
    return is_installed(program) && among(base_name(program), kMadeForEval);
  });
}

// Scripts that are known for what they do.
bool is_usual_source(std::string_view path) {
  return path.ends_with("bin/activate") || path.ends_with(".cargo/env") ||
         among(base_name(path),
               "nvm.sh os-release profile bashrc .bashrc .profile conda.sh sdkman-init.sh asdf.sh "
               "rvm bash_completion setvars.sh .env");
}

SeenCommand named(std::string_view name) {
  return {.words = {{std::string(name)}}, .program = std::string(name)};
}

// What a variable is for the programs it reaches.
std::vector<SeenAssignment> given_values(const std::string& name, const ShellVariable& variable) {
  std::vector<SeenAssignment> given;
  for (const Value& value : variable.values) {
    if (value->kind == ShellValue::Kind::unset || value->kind == ShellValue::Kind::outside) {
      continue;
    }
    const bool one = value->is_known() && value->items.size() == 1;
    given.push_back({name, one ? value->items.front() : SeenWord{std::string(1, kUnknownPiece)}});
    if (given.size() >= kMaxInner) break;
  }
  return given;
}

}  // namespace

void Builtins::run(const SeenCommand& seen) {
  const std::string_view name = seen.words.front().text;
  ShellState& state = walk_.state;
  evaluate_operands(seen);
  if (run_callbacks(seen)) return;
  if (among(name, kDeclaring)) {
    for (const std::string& exported : state.declare(seen)) note_exported(exported);
  } else if (among(name, "exit return break continue")) {
    walk_.flow.jump(seen);
  } else if (among(name, "cd pushd popd")) {
    walk_.expander.note_outside("CDPATH");
    if (seen.words.size() == 1) walk_.expander.note_outside("HOME");
    const bool back = std::ranges::any_of(seen.words, [](auto& word) { return word.text == "-"; });
    if (back) walk_.expander.note_outside("OLDPWD");
    state.change_directory(seen);
  } else if (among(name, "read mapfile readarray getopts")) {
    if (name != "getopts") walk_.programs.meet_open_input(seen);
    for (const std::string& read : state.forget_read(seen)) note_exported(read);
  } else if (name == "printf" && seen.word(1) == "-v") {
    print_into(seen);
  } else if (name == "unset") {
    state.unset(seen);
  } else if (name == "set") {
    state.set_options(seen);
  } else if (name == "shopt") {
    state.set_shell_options(seen);
  } else if (name == "shift") {
    state.shift(seen);
  } else if (name == "alias" || name == "unalias") {
    state.change_aliases(seen);
  } else if (name == "eval" && seen.words.size() > 1) {
    eval(seen);
  } else if ((name == "." || name == "source") && seen.words.size() > 1) {
    source(seen);
  } else if (name == "exec" && seen.words.size() == 1) {
    walk_.io.keep(seen);
  }
}

void Builtins::eval(const SeenCommand& seen) {
  SeenWord text = joined(words_from(seen, seen.word(1) == "--" ? 2 : 1));
  if (!text.known() && made_for_eval(seen.substituted)) {
    std::ranges::replace(text.text, kUnknownPiece, ':');  // the rest counts
  }
  SeenCommand by = seen;
  by.program = "eval";
  const Kept<std::string> run_by(walk_.now.run_by, "eval");
  walk_.programs.run_text(text, walk_.state.arguments(), by);
}

void Builtins::source(const SeenCommand& seen) {
  const bool trusted = !seen.processes.empty() && made_for_eval(seen.processes.front().producers);
  const std::size_t at = seen.word(1) == "--" ? 2 : 1;
  if (!trusted) walk_.programs.run_script(seen, at);
  const bool known = !seen.processes.empty() || is_usual_source(seen.word(at)) ||
                     walk_.files.is_known(seen.word(at)) || at >= seen.words.size();
  if (!known) walk_.state.variables().doubt_plain();  // it may have set any variable
}

// printf -v NAME format …
void Builtins::print_into(const SeenCommand& seen) {
  const std::string name(seen.word(2).substr(0, seen.word(2).find('[')));
  SeenCommand prints = seen;
  prints.program = "printf";
  prints.once = true;  // a loop sets it anew each time
  prints.words.erase(prints.words.begin() + 1,
                     prints.words.begin() + std::min<std::ptrdiff_t>(3, std::ssize(prints.words)));
  const std::optional<std::string> text = printed_text(prints);
  if (text && name == seen.word(2)) {
    walk_.state.variables().set(name, {{{*text}}});
  } else {
    walk_.state.variables().forget(name);
  }
  note_exported(name);
}

// Those that are given names of variables, or expressions: in both a subscript is evaluated.
void Builtins::evaluate_operands(const SeenCommand& seen) {
  const std::string_view name = seen.word(0);
  const bool declares = among(name, kDeclaring);
  if (!declares && !among(name, "let test [ unset printf read wait exec")) return;
  const bool integer = (declares && has_builtin_option(seen, "i")) || name == "let";
  for (std::size_t i = 1; i < seen.words.size(); ++i) {
    const std::string& word = seen.words[i].text;
    if (integer || word.contains('[')) walk_.texts.evaluate(word);
    const std::size_t equals = std::min(word.find('='), word.size());
    if (!declares || equals == word.size()) continue;
    const std::string value = word.substr(equals + 1);
    if (value.starts_with('(')) walk_.texts.expand(value);
    if (equals > 0) note_assigned(word.substr(0, word.find_first_of("[+=")), {value});
  }
}

// --- variables

void Builtins::take_variables() {
  SeenCommand set = named("export");
  for (const auto& [name, value] : walk_.context.variables) {
    walk_.findings.budget().allow(4 * value.size());
    if (is_watched_variable(name) || is_run_variable(name)) {
      set.words.push_back({name + "=" + value});
    }
    note_assigned(name, {value});
    if (name.starts_with("BASH_FUNC_")) {
      walk_.findings.say_unclear("function is not known",
                                 "a function is given to the shell as a variable");
    }
  }
  if (set.words.size() == 1) return;
  walk_.programs.run_all(inner_commands(set), set);
  walk_.findings.add(std::move(set));  // for the rules about such variables
}

void Builtins::note_assigned(const std::string& name, const SeenWord& value) {
  if (!traps_.empty()) ++since_trap_[name];
  walk_.texts.check_value(value.text);
  if (name == "PATH") {
    walk_.files.note_search_path(value.text);
  } else if (name == "PROMPT_COMMAND" ||
             (value.known() && value.text.contains(' ') && !customary_tool(name).empty())) {
    // a later text may say $CC, which is then taken for a compiler
    walk_.programs.run_text(value, {}, named(name));
  } else if (name.size() == 3 && among(name, "PS0 PS1 PS2 PS4")) {
    std::string known = value.text;
    std::erase(known, kUnknownPiece);
    walk_.texts.expand_prompt(known);
  } else if (name == "BASH_ENV" || name == "ENV") {
    walk_.texts.expand(value.text);
    SeenCommand reader;  // of a shell that starts
    reader.words = {{"."}, value};
    walk_.programs.run_script(reader, 1);
  }
}

void Builtins::note_assignment(const ShellAssignment& assignment, const SeenWord& index,
                               const ShellValue& value) {
  if (assignment.element) walk_.texts.evaluate(index.text);
  for (const SeenWord& item : value.items) {
    note_assigned(assignment.name, item);
    if (assignment.array && item.text.starts_with('[')) walk_.texts.evaluate("_" + item.text);
  }
  if (among(assignment.name, "BASH_ALIASES BASH_CMDS")) {
    walk_.findings.say_unclear("name of a command is not known",
                               assignment.name + " gives names of commands another meaning");
  }
}

void Builtins::note_exported(const std::string& name) {
  if (!is_run_variable(name) && !is_watched_variable(name) && name != "PATH") return;
  SeenCommand by = named("export");
  by.words.push_back({name});
  std::vector<SeenAssignment> given = given_values(name, walk_.state.variables().all(name));
  if (given.empty()) return;
  bool unknown = false;
  for (const SeenAssignment& one : given) {
    unknown = unknown || !one.value.known();
    if (one.value.known()) note_assigned(name, one.value);
  }
  if (unknown && !is_run_variable(name)) {
    walk_.findings.say_unclear("variable is not known", name + " changes what programs run", &by);
  }
  std::vector<InnerCommand> inner;
  add_variable_commands(given, inner);
  for (const InnerCommand& run : inner) walk_.programs.run_text(run.text, {}, by);
  if (!is_watched_variable(name)) return;
  SeenCommand set;  // for the rules about such variables
  set.variables = std::move(given);
  walk_.findings.add(std::move(set));
}

// --- texts that run later

void Builtins::keep_trap(const SeenCommand& seen) {
  SeenCommand by = seen;
  by.program = "trap";
  if (by.word(1) == "--") by.words.erase(by.words.begin() + 1);
  if (by.words.size() < 3 || by.word(1).starts_with('-')) return;
  if (traps_.size() >= kMaxTraps) {
    return walk_.findings.say_too_much("it sets more traps than can be followed");
  }
  const std::string text = with_unknown_variable(by.words[1].text);
  walk_.programs.run_text({text}, {}, by);
  by.words[1] = {text};
  const auto same = [&](const SeenCommand& one) { return one.words[1].text == text; };
  if (std::ranges::none_of(traps_, same)) traps_.push_back(std::move(by));
}

// With the variables and functions there are now or were meanwhile.
void Builtins::run_traps(std::size_t first) {
  if (traps_.size() == first) return;
  Variables& variables = walk_.state.variables();
  const std::size_t mark = variables.mark();
  for (const auto& [name, times] : since_trap_) {
    if (times > 1) variables.doubt({name});
  }
  {
    const Kept<Situation::Jump> jump(walk_.now.jump, Situation::Jump::none);
    for (std::size_t i = first; i < traps_.size(); ++i) {
      const SeenCommand by = traps_[i];
      walk_.programs.run_text(by.words[1], {}, by);
    }
  }
  variables.undo(mark);
  traps_.resize(first);
  if (traps_.empty()) since_trap_.clear();
}

// `set -x` shows PS4 before each command.
void Builtins::show_trace() {
  for (const Value& value : walk_.state.variables().all("PS4").values) {
    if (value->kind == ShellValue::Kind::unknown) {
      walk_.texts.expand_prompt(std::string(1, kUnknownPiece));
    }
    for (const SeenWord& item : value->items) walk_.texts.expand_prompt(item.text);
  }
}

// Options with which a builtin runs what it is given, or takes a program or code from there.
bool Builtins::has_callback(const SeenCommand& seen) const {
  struct Callback {
    std::string_view builtins;
    std::string_view letters;
  };
  static constexpr Callback kCallbacks[] = {
      {"mapfile readarray", "C"},
      {"compgen", "CF"},
      {"bind", "x"},
      {"hash", "p"},
      {"jobs", "x"},
      {"enable", "f"},
  };
  if (seen.word(0) == "fc") return !has_option_letter(seen, 'l');
  if (seen.word(0) == "compgen" && std::ranges::any_of(seen.words, [](const SeenWord& word) {
        return word.text.find_first_of("$`") != std::string::npos;  // -W '$(command)'
      })) {
    return true;
  }
  return std::ranges::any_of(kCallbacks, [&](const Callback& one) {
    return among(seen.word(0), one.builtins) && has_builtin_option(seen, one.letters);
  });
}

// Texts that are run now or later. True: that is all the command does.
bool Builtins::run_callbacks(const SeenCommand& seen) {
  const std::string_view name = seen.word(0);
  if (has_callback(seen)) {
    walk_.findings.say_unclear("builtin runs what it is given",
                               std::string(name) + " has an option that runs something", &seen);
  }
  if (name == "trap") keep_trap(seen);
  if (name == "set" && (has_option_letter(seen, 'x') || has_option_letter(seen, 'o'))) show_trace();
  if (!among(name, "env sudo")) return name == "trap";
  for (const SeenWord& word : seen.words) {
    const std::size_t equals = std::min(word.text.find('='), word.text.size() - 1);
    note_assigned(word.text.substr(0, equals), {word.text.substr(equals + 1)});
    if (word.text.starts_with("BASH_FUNC_")) {
      walk_.findings.say_unclear("function is not known",
                                 "a function is given to a shell as a variable", &seen);
    }
  }
  return true;
}

}  // namespace talaria::guard
