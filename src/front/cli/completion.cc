#include "front/cli/completion.h"

#include <talaria/call.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "front/cli/commands/commands.h"
#include "front/cli/text_style.h"

namespace talaria::front::cli {
namespace {

constexpr std::string_view kBashScript =
    R"(# bash completion for talaria, printed by `talaria completion bash`.
_talaria() {
  # Readline splits at "="; put together what belongs together.
  local words=() word glued=
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $glued || $word == "=" ]] && ((${#words[@]})); then words[-1]+=$word; else words+=("$word"); fi
    if [[ $word == "=" ]]; then glued=yes; else glued=; fi
  done
  local typed=${COMP_WORDS[COMP_CWORD]#=}
  local prefix=${words[-1]%"$typed"}
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    case $word in
      :directories) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$typed") ;;
      :files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$typed") ;;
      :programs) mapfile -t COMPREPLY < <(compgen -c -- "$typed" | sort -u) ;;
      *=) compopt -o nospace; COMPREPLY+=("${word#"$prefix"}") ;;
      *) COMPREPLY+=("${word#"$prefix"}") ;;
    esac
  done < <("${COMP_WORDS[0]/#\~/$HOME}" complete -- "${words[@]}" 2>/dev/null)
}
complete -F _talaria talaria
)";

constexpr std::string_view kZshScript = R"(#compdef talaria
# zsh completion for talaria, printed by `talaria completion zsh`.
_talaria() {
  local line word
  local -a offered
  for line in "${(@f)$(${(Q)~words[1]} complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    word=${line%%$'\t'*}
    case $word in
      '') ;;
      :directories) _files -/ ;;
      :files) _files ;;
      :programs) _command_names -e ;;
      *) offered+=("${word//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  (( $#offered )) && _describe -V talaria offered
}
if [[ $funcstack[1] == _talaria ]]; then
  _talaria "$@"
else
  compdef _talaria talaria
fi
)";

constexpr std::string_view kFishScript =
    R"(# fish completion for talaria, printed by `talaria completion fish`.
function __talaria_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l typed (commandline -ct)
    for line in ($program complete -- $words "$typed" 2>/dev/null)
        switch $line
            case :directories
                __fish_complete_directories "$typed" ''
            case :files
                __fish_complete_path "$typed"
            case :programs
                __fish_complete_command
            case '*'
                echo $line
        end
    end
end
complete -c talaria -f -a '(__talaria_complete)'
)";

class Completions {
 public:
  explicit Completions(std::string_view typed) : typed_(typed) {}

  void offer(std::string_view word, std::string_view meaning = {}) {
    if (!word.starts_with(typed_)) return;
    text_ += std::string(word) + "\t" + std::string(meaning) + "\n";
  }
  void let_shell_complete(std::string_view what) { text_ += ":" + std::string(what) + "\n"; }
  std::string text() && { return std::move(text_); }

 private:
  std::string_view typed_;
  std::string text_;
};

std::string first_word(std::string_view name) {
  return std::string(name.substr(0, name.find(' ')));
}

std::string offer_commands(const std::vector<CommandInfo>& commands, std::string_view group,
                           std::string_view typed) {
  Completions answer(typed);
  std::string last;
  for (const CommandInfo& command : commands) {
    if (command.hidden || !in_group(command, group)) continue;
    const std::string word = group.empty() ? first_word(command.name)
                                           : std::string(command.name.substr(group.size() + 1));
    const std::string_view about =
        word == command.name || !group.empty() ? command.summary : group_summary(word);
    if (word != last) answer.offer(word, about);
    last = word;
  }
  if (typed.starts_with("-")) {
    answer.offer("--help", "Show the help");
    if (group.empty()) answer.offer("--version", "Show the version");
  }
  return std::move(answer).text();
}

// Every completion begins with `prefix`: "--target=" if option and value are one argument.
void offer_values(Completions& answer, const Home& home, Offer offer, std::string_view choices,
                  std::string_view prefix) {
  while (!choices.empty()) answer.offer(std::string(prefix) + std::string(next_word(choices)));
  std::string last;
  switch (offer) {
    case Offer::nothing:
      break;
    case Offer::directories:
      answer.let_shell_complete("directories");
      break;
    case Offer::programs:
      answer.let_shell_complete("programs");
      break;
    case Offer::tools:
      for (const ToolInfo& tool : tools())
        answer.offer(std::string(prefix) + std::string(tool.name));
      break;
    case Offer::commands:
      for (const CommandInfo& command : all_commands()) {
        const std::string word = first_word(command.name);
        if (!command.hidden && word != last) answer.offer(std::string(prefix) + word);
        last = word;
      }
      break;
    case Offer::processes:
      for (const NotedProcess& one : home.processes(kMaxOfferedProcesses)) {
        answer.offer(std::string(prefix) + one.id, one_line(one.command));
      }
      break;
    case Offer::environments:
      for (const std::string& id : home.runner_ids()) answer.offer(std::string(prefix) + id);
      break;
  }
}

// Completes `typed`, the beginning of NAME=VALUE.
void offer_values_of(Completions& answer, const Home& home, const Option* option,
                     std::string_view typed) {
  if (!option) return;
  offer_values(answer, home, option->offer, option->choices, typed.substr(0, typed.find('=') + 1));
}

// The position of the last argument among those of a command.
struct Position {
  const Option* value_of = nullptr;  // it is the value of this option
  bool options_over = false;
  std::size_t arguments = 0;  // before it
  std::vector<std::string_view> given;
};

Position position_after(const CommandInfo& command, std::span<const std::string> words) {
  Position at;
  for (const std::string& word : words) {
    if (at.value_of) {
      at.value_of = nullptr;
    } else if (!at.options_over && word == "--") {
      at.options_over = true;
    } else if (!at.options_over && word.starts_with("-")) {
      const std::string_view name = std::string_view(word).substr(0, word.find('='));
      const Option* option = command.find_option(name);
      at.given.push_back(option ? option->name : name);
      if (option && !option->value.empty() && name == word) at.value_of = option;
    } else {
      ++at.arguments;
      at.options_over |= command.verbatim;
    }
  }
  return at;
}

void offer_options(Completions& answer, const CommandInfo& command, const Position& at) {
  for (const Option& option : command.options) {
    if (option.repeats || std::ranges::find(at.given, option.name) == at.given.end()) {
      answer.offer(option.name, option.meaning);
    }
  }
  answer.offer("--help", "Show the help of this command");
}

void offer_keys(Completions& answer, const Home& home, const std::vector<Option>& keys,
                std::string_view typed) {
  const std::size_t equals = typed.find('=');
  if (equals == std::string_view::npos) {
    for (const Option& key : keys) answer.offer(std::string(key.name) + "=");
    return;
  }
  const auto key = std::ranges::find(keys, typed.substr(0, equals), &Option::name);
  offer_values_of(answer, home, key == keys.end() ? nullptr : &*key, typed);
}

void offer_argument(Completions& answer, const Home& home, const CommandInfo& command,
                    std::size_t number, std::string_view typed) {
  if (command.arguments.empty()) return;
  const Argument& argument = command.arguments[std::min(number, command.arguments.size() - 1)];
  const bool first = number < command.arguments.size();
  if (!first && !argument.many) return;
  if (!first && argument.offer == Offer::commands) return;
  if (!first && argument.offer == Offer::programs) return answer.let_shell_complete("files");
  if (!argument.keys.empty()) return offer_keys(answer, home, argument.keys, typed);
  offer_values(answer, home, argument.offer, argument.choices, "");
}

}  // namespace

std::string complete(const Home& home, std::span<const std::string> arguments) {
  if (arguments.empty()) return "";
  const std::vector<CommandInfo> commands = all_commands();
  const std::string& typed = arguments.back();
  const std::span<const std::string> before = arguments.first(arguments.size() - 1);
  const CommandInfo* command = find_command(commands, before);
  if (!command) {
    if (before.empty()) return offer_commands(commands, "", typed);
    const bool in_a_group = before.size() == 1 && !group_summary(before[0]).empty();
    return in_a_group ? offer_commands(commands, before[0], typed) : "";
  }

  const Position at = position_after(*command, before.subspan(name_size(*command)));
  Completions answer(typed);
  if (at.value_of) {
    offer_values(answer, home, at.value_of->offer, at.value_of->choices, "");
  } else if (const auto equals = typed.find('=');
             typed.starts_with("--") && equals != std::string::npos && !at.options_over) {
    offer_values_of(answer, home, command->find_option(typed.substr(0, equals)), typed);
  } else if (typed.starts_with("-") && !at.options_over) {
    offer_options(answer, *command, at);
  } else {
    offer_argument(answer, home, *command, at.arguments, typed);
    for (const CommandInfo& other : commands) {  // "mcp install" begins like "mcp"
      if (before.size() > 1 || other.hidden || !in_group(other, before[0])) continue;
      answer.offer(std::string(other.name.substr(before[0].size() + 1)), other.summary);
    }
  }
  return std::move(answer).text();
}

std::string_view completion_script(std::string_view shell) {
  if (shell == "zsh") return kZshScript;
  return shell == "fish" ? kFishScript : kBashScript;
}

}  // namespace talaria::front::cli
