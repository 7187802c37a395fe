// What builtins of the shell do to what follows, and what a shell reads as commands.
#include <algorithm>
#include <cctype>
#include <utility>

#include "policy/guard/run/walker.h"
#include "policy/guard/word_list.h"

namespace talaria {
namespace {

// Programs that print text to be evaluated, and do nothing else worth a question.
constexpr std::string_view kMadeForEval =
    "ssh-agent pyenv rbenv nodenv goenv jenv direnv conda mamba micromamba starship zoxide brew "
    "fnm "
    "opam luarocks dircolors register-python-argcomplete kubectl minikube docker-machine thefuck "
    "gh "
    "mise rtx asdf fasd atuin fzf helm lesspipe resize keychain poetry guix oh-my-posh hub";

bool made_for_eval(const std::vector<std::string>& programs) {
  return !programs.empty() && std::ranges::all_of(programs, [](const std::string& program) {
    return among(program, kMadeForEval);
  });
}

bool fetches(const std::vector<std::string>& programs) {
  return std::ranges::any_of(
      programs, [](const std::string& program) { return program == "curl" || program == "wget"; });
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

// An arithmetic text: what it may assign is not known any more.
void Walker::changed(const std::string& text) {
  if (text.find_first_of("=+-") == std::string::npos) return;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_name_start(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_name_char(text[end])) ++end;
    const std::string name = text.substr(i, end - i);
    if (variables_.find(name) != nullptr) variables_.forget(name);
    i = end;
  }
}

void Walker::assign_words(const SeenCommand& seen) {
  for (std::size_t i = 1; i < seen.words.size(); ++i) {
    const std::string& word = seen.words[i].text;
    const std::size_t equals = word.find('=');
    if (word.starts_with('-') || equals == std::string::npos || equals == 0) continue;
    const std::string name = word.substr(0, equals - (word[equals - 1] == '+' ? 1 : 0));
    if (word[equals - 1] == '+') {
      variables_.forget(name);
    } else {
      variables_.set(name, {{SeenWord{word.substr(equals + 1), seen.words[i].pattern}}});
    }
  }
}

void Walker::run_builtin(const SeenCommand& seen) {
  const std::string_view name = seen.words.front().text;
  if (among(name, "export declare typeset local readonly")) {
    assign_words(seen);
  } else if (among(name, "read mapfile readarray getopts")) {
    for (std::size_t i = 1; i < seen.words.size(); ++i) variables_.forget(seen.words[i].text);
    variables_.forget("REPLY");
    variables_.forget("MAPFILE");
  } else if (name == "printf" && seen.word(1) == "-v") {
    variables_.forget(std::string(seen.word(2)));
  } else if (name == "unset") {
    for (std::size_t i = 1; i < seen.words.size(); ++i) {
      if (!seen.words[i].text.starts_with('-')) variables_.unset(seen.words[i].text);
    }
  } else if (name == "set" && seen.words.size() > 1) {
    const bool options = seen.word(1).starts_with('-') || seen.word(1).starts_with('+');
    if (seen.word(1) == "--" || !options) {
      expander_.set_arguments({seen.words.begin() + (options ? 2 : 1), seen.words.end()});
    }
  } else if (name == "shift") {
    std::vector<SeenWord> left = expander_.arguments();
    if (!left.empty()) left.erase(left.begin());
    expander_.set_arguments(std::move(left));
  } else if (name == "let") {
    changed(joined(seen, 1).text);
  } else if (name == "alias") {
    for (std::size_t i = 1; i < seen.words.size(); ++i) {
      const std::string& word = seen.words[i].text;
      if (const std::size_t equals = word.find('='); equals != std::string::npos) {
        aliases_[word.substr(0, equals)] = word.substr(equals + 1);
      }
    }
  } else if (name == "eval" && seen.words.size() > 1) {
    const SeenWord text = joined(seen, seen.word(1) == "--" ? 2 : 1);
    if (!text.known() && made_for_eval(seen.substituted)) return;
    SeenCommand by = seen;
    by.program = "eval";
    const std::string outer = std::exchange(run_by_, "eval");
    run_text(text, expander_.arguments(), by, elsewhere_);
    run_by_ = outer;
  } else if (name == "trap" && seen.words.size() > 2 && !seen.word(1).starts_with('-')) {
    SeenCommand by = seen;
    by.program = "trap";
    // it runs later, when its variables may be others: only what it says now counts
    if (seen.words[1].known()) run_text(seen.words[1], {}, by, elsewhere_);
  } else if ((name == "." || name == "source") && seen.words.size() > 1) {
    if (seen.word(1).starts_with("/dev/fd/") && !seen.processes.empty()) {
      if (!made_for_eval(seen.processes.front().producers)) run_input(seen.processes.front(), seen);
    } else if (seen.word(1) == "/dev/stdin") {
      run_input(seen.input, seen);
    }
  }
}

// A shell that was given no script reads one from its input.
void Walker::run_shell_input(const SeenCommand& seen) {
  const ShellCall call = read_shell_call(seen);
  if (call.has_text || call.runs_nothing) return;
  if (call.script == 0) return run_input(seen.input, seen);
  if (seen.word(call.script).starts_with("/dev/fd/") && !seen.processes.empty()) {
    run_input(seen.processes.front(), seen);
  }
}

void Walker::run_input(const SeenInput& input, const SeenCommand& by) {
  if (input.kind == SeenInput::Kind::inherited || input.kind == SeenInput::Kind::file) return;
  if (!input.text) {
    if (!fetches(input.producers)) {  // which is a rule of its own
      say_unclear("unknown commands are piped to a shell",
                  "a shell reads commands that are known only when they run", &by);
    }
    return;
  }
  SeenCommand reader = by;
  reader.program = "input";
  reader.input = {};
  run_text({*input.text}, {}, reader, elsewhere_);
}

}  // namespace talaria
