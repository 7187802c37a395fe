#include "shell/effects.h"

#include <algorithm>
#include <array>
#include <string>

namespace talaria::shell {
namespace {

// Builtins and keywords of bash, less those that print or compare and do nothing else. `printf` is
// among them for its -v, `exit` because it has no need of being fast.
constexpr std::array<std::string_view, 72> kMayChangeState{
    ".",         "alias",    "bg",      "bind",     "break",   "builtin",  "caller",  "case",
    "cd",        "command",  "compgen", "complete", "compopt", "continue", "coproc",  "declare",
    "dirs",      "disown",   "do",      "done",     "elif",    "else",     "enable",  "esac",
    "eval",      "exec",     "exit",    "export",   "fc",      "fg",       "fi",      "for",
    "function",  "getopts",  "hash",    "help",     "history", "if",       "in",      "jobs",
    "let",       "local",    "logout",  "mapfile",  "popd",    "printf",   "pushd",   "read",
    "readarray", "readonly", "return",  "select",   "set",     "shift",    "shopt",   "source",
    "suspend",   "then",     "time",    "times",    "trap",    "type",     "typeset", "ulimit",
    "umask",     "unalias",  "unset",   "until",    "wait",    "while",    "[[",      "{"};

// Characters that mean nothing to bash wherever they stand in a word.
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./,:@%+").contains(c);
}

// Behind the first word quotes are fine, too, as long as nothing in them is expanded.
bool has_only_plain_arguments(std::string_view text) {
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == '\'' || c == '"') {
      const std::size_t end = text.find(c);
      if (end == std::string_view::npos) return false;
      if (c == '"' && text.substr(0, end).find_first_of("$`\\!") != std::string_view::npos) {
        return false;
      }
      text.remove_prefix(end + 1);
    } else if (!is_plain(c) && c != ' ' && c != '=') {
      return false;
    }
  }
  return true;
}

}  // namespace

bool leaves_state_alone(std::string_view command, const ShellState& state) {
  while (command.ends_with('\n') || command.ends_with(' ')) command.remove_suffix(1);
  while (command.starts_with(' ')) command.remove_prefix(1);
  const std::string_view word = command.substr(0, command.find(' '));
  if (word.empty() || !std::ranges::all_of(word, is_plain)) return false;
  if (std::ranges::find(kMayChangeState, word) != kMayChangeState.end()) return false;
  if (state.functions.contains(word) || state.aliases.contains(word)) return false;
  // Functions may also come from the caller's environment, or from a file it names.
  if (state.variables.contains("BASH_ENV")) return false;
  if (state.variables.contains("BASH_FUNC_" + std::string(word) + "%%")) return false;
  return has_only_plain_arguments(command.substr(word.size()));
}

}  // namespace talaria::shell
