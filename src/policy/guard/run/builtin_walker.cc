// Builtins of the shell: which one does what, and the texts of eval.
#include <algorithm>
#include <cctype>
#include <utility>

#include "policy/guard/run/walker.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

// Programs that print text to be evaluated, and do nothing else worth a question.
constexpr std::string_view kMadeForEval =
    "ssh-agent pyenv rbenv nodenv goenv jenv direnv conda mamba micromamba starship zoxide brew "
    "fnm opam luarocks dircolors register-python-argcomplete kubectl minikube docker-machine "
    "thefuck gh mise rtx asdf fasd atuin fzf helm lesspipe resize keychain poetry guix oh-my-posh "
    "hub";

bool made_for_eval(const std::vector<std::string>& programs) {
  return !programs.empty() && std::ranges::all_of(programs, [](const std::string& program) {
    return among(program, kMadeForEval);
  });
}

SeenWord joined(const SeenCommand& seen, std::size_t from) {
  SeenWord text;
  for (std::size_t i = from; i < seen.words.size(); ++i) {
    if (i > from) text.text += ' ';
    text.text += seen.words[i].text;
  }
  return text;
}

}  // namespace

void Walker::run_builtin(const SeenCommand& seen) {
  const std::string_view name = seen.words.front().text;
  evaluate_operands(seen);
  run_callbacks(seen);
  if (among(name, "export declare typeset local readonly")) {
    declare(seen);
  } else if (among(name, "exit return break continue")) {
    jump(seen);
  } else if (among(name, "cd pushd popd")) {
    change_directory(seen);
  } else if (among(name, "read mapfile readarray getopts")) {
    read_names(seen);
  } else if (name == "printf" && seen.word(1) == "-v") {
    print_into(seen);
  } else if (name == "unset") {
    unset(seen);
  } else if (name == "set") {
    set_options(seen);
  } else if (name == "shopt") {
    last_pipe_ = last_pipe_ || joined(seen, 1).text.contains("lastpipe");
    posix_ = posix_ || joined(seen, 1).text.contains("posix");
    xpg_echo_ = xpg_echo_ || joined(seen, 1).text.contains("xpg_echo");
  } else if (name == "shift") {
    shift(seen);
  } else if (name == "alias" || name == "unalias") {
    change_aliases(seen);
  } else if (name == "eval" && seen.words.size() > 1) {
    SeenWord text = joined(seen, seen.word(1) == "--" ? 2 : 1);
    if (!text.known() && made_for_eval(seen.substituted)) {
      std::ranges::replace(text.text, kUnknownPiece, ':');  // the rest counts
    }
    SeenCommand by = seen;
    by.program = "eval";
    const std::string outer = std::exchange(run_by_, "eval");
    run_text(text, expander_.arguments(), by, elsewhere_);
    run_by_ = outer;
  } else if ((name == "." || name == "source") && seen.words.size() > 1) {
    const std::size_t at = seen.word(1) == "--" ? 2 : 1;
    const bool trusted = !seen.processes.empty() && made_for_eval(seen.processes.front().producers);
    if (!trusted) run_script(seen, at);
    note_sourced(seen, at);
  } else if (name == "exec" && seen.words.size() == 1) {
    keep_input(seen);
  }
}

}  // namespace talaria::guard
