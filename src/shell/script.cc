#include "shell/script.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <ranges>

#include "shell/quote.h"

namespace talaria::shell {
namespace {

constexpr std::string_view kSetOption = "-o ";
constexpr std::string_view kGoVariable = "__TALARIA_GO";
constexpr std::size_t kGoPipeRead = 4096;  // characters: an empty pipe always has room for them
constexpr char kGoMark = '#';              // a comment, behind all of them

// What the EXIT trap runs, in a group or subshell whose output is the dump file. It holds no single
// quote, so that `trap -p` prints it unchanged.
//
// The assignment comes first because nothing can redefine it; it also switches posix mode on, where
// special builtins (trap, unset, set, export) win over functions of the same name.
std::string dump_commands(const std::string& nonce) {
  return "POSIXLY_CORRECT=$?\\ $SHELLOPTS\\ $BASHOPTS; \\trap - DEBUG ERR RETURN; "
         "\\trap \"\" XFSZ PIPE; \\set +aefkuvxC; \\unset -f builtin; "
         "\\builtin enable printf umask pwd alias declare; "
         "\\builtin printf \"\\\\0%s\\\\0%s\\\\0\" " +
         nonce +
         " \"$POSIXLY_CORRECT\"; "
         "\\builtin umask; \\builtin printf \"\\\\0\"; "
         "\\builtin pwd || \\builtin printf \"%s\\\\n\" \"$PWD\"; \\builtin printf \"\\\\0\"; "
         "\\export -p; \\builtin printf \"\\\\0\"; "
         "\\builtin alias -p; \\builtin printf \"\\\\0\"; "
         "\\builtin declare -F; \\builtin printf \"\\\\0\"; "
         "\\builtin declare -f; \\builtin printf \"\\\\0%s\\\\0\" " +
         nonce;
}

// Alone it is the last thing the shell does, so it may leave the shell changed.
std::string last_epilogue(const Dispatch& dispatch) {
  return "{ " + dump_commands(dispatch.nonce) + "; } 2>/dev/null >|" + dispatch.dump_path;
}

// In front of a user's own EXIT trap it must leave no trace: a subshell that passes $? on, in an &&
// list so that a status other than 0 sets off neither `set -e` nor an ERR trap.
std::string first_epilogue(const Dispatch& dispatch) {
  return "( " + dump_commands(dispatch.nonce) +
         "; \\exit ${POSIXLY_CORRECT%%\\ *} ) 2>/dev/null >|" + dispatch.dump_path +
         " && (\\:) 2>/dev/null;";
}

// A function `trap` that keeps our EXIT trap alive beside the user's, and hides it from listings.
// Only commands that mention traps get it. In a subshell, whose traps are its own, it stands aside.
std::string trap_helper(const Dispatch& dispatch) {
  const std::string alone = single_quote(last_epilogue(dispatch));
  const std::string chained = single_quote(first_epilogue(dispatch));
  const std::string exit_names = "0|[Ee][Xx][Ii][Tt]|[Ss][Ii][Gg][Ee][Xx][Ii][Tt]";
  return "function trap () {\n"
         // The caller's set -x, -e and -u must not reach into this function, nor end with it.
         "{ \\builtin local - list IFS=' ' && \\builtin set +xveu; } 2>/dev/null\n"
         "if [[ $BASHPID == $$ && ( $# == 0 || $1 == -p ) ]]; then\n"
         "list=$(\\builtin trap \"$@\")$'\\n'\n"
         "list=${list/\"trap -- \"\\'" +
         alone +
         "\\'\" EXIT\"$'\\n'/}\n"
         "list=${list/" +
         chained +
         "/}\n"
         "[[ $list == $'\\n' ]] || \\builtin printf '%s' \"$list\"\n"
         // The builtin comes last where it can: it may set a DEBUG trap, which would fire for
         // whatever this function did after it.
         "elif [[ $BASHPID != $$ || \" $* \" != *\\ @(" +
         exit_names +
         ")\\ * ]]; then\n"
         "\\builtin trap \"$@\"\n"
         "elif \\builtin trap \"$@\"; then\n"
         "[[ $1 != -- ]] || \\builtin shift\n"
         "if [[ $# == 1 ]]; then case $1 in " +
         exit_names + ") \\builtin trap -- " + alone +
         " EXIT;; esac; fi\n"
         "while [[ $# -gt 1 ]]; do\n"
         "case $2 in " +
         exit_names +
         ")\n"
         "if [[ $1 == - || -z $1 ]]; then \\builtin trap -- " +
         alone +
         " EXIT\n"
         "else \\builtin trap -- " +
         chained +
         "\"$1\" EXIT; fi;;\n"
         "esac\n"
         "\\builtin set -- \"$1\" \"${@:3}\"\n"
         "done\n"
         "else return 1; fi\n"
         "}\n";
}

// Whether the command, or a function it may call, holds this word at all.
bool mentions(std::string_view command, const ShellState& state, std::string_view word) {
  if (command.contains(word)) return true;
  return std::ranges::any_of(state.functions,
                             [&](const auto& entry) { return entry.second.text.contains(word); });
}

void append_function(std::string& text, const std::string& name, const ShellFunction& function) {
  text += "\\builtin eval " + single_quote(function.text) + "\n";
  if (function.exported) text += "\\builtin declare -fx " + single_quote(name) + "\n";
}

void append_alias(std::string& text, const std::string& name, const std::string& value) {
  text += "\\builtin alias -- " + single_quote(name + "=" + value) + "\n";
}

bool is_set_option(std::string_view option) { return option.starts_with(kSetOption); }

// Options that change how our own lines are read wait until the last moment.
bool is_late_option(std::string_view option) {
  return is_set_option(option) || option == "expand_aliases";
}

void append_option(std::string& text, const std::string& option, bool on) {
  if (is_set_option(option)) {
    text += std::string("\\builtin set ") + (on ? "-o " : "+o ") +
            option.substr(kSetOption.size()) + "\n";
  } else {
    text += std::string("\\builtin shopt ") + (on ? "-s " : "-u ") + option + "\n";
  }
}

bool is_readonly_variable(std::string_view name) {
  return name == "SHELLOPTS" || name == "BASHOPTS" || name == "UID" || name == "EUID" ||
         name == "PPID" || name == "BASH_VERSINFO";
}

// bash does not take these from its environment (PS4 only not for root).
constexpr std::array<std::string_view, 2> kNotInherited{"IFS", "PS4"};

bool is_not_inherited(std::string_view name) {
  return std::ranges::find(kNotInherited, name) != kNotInherited.end();
}

void append_export(std::string& text, const NameMap::value_type& variable) {
  text += "\\builtin export " + variable.first + "=" + single_quote(variable.second) + "\n";
}

// What a variable's new value takes; PWD, OLDPWD, SHLVL and BASH_ENV have lines of their own.
void append_variable_changes(std::string& text, const NameMap& from, const NameMap& to) {
  const auto ours = [](const std::string& name) {
    return !is_variable_name(name) || is_readonly_variable(name) || name == "PWD" ||
           name == "OLDPWD" || name == "SHLVL" || name == "BASH_ENV" || name == "_";
  };
  if (from.shares_with(to)) {
    for (const std::string_view name : kNotInherited) {
      if (const auto found = to.find(name); found != to.end()) append_export(text, *found);
    }
    return;
  }
  for (const auto& entry : to) {
    const auto& [name, value] = entry;
    const auto old = from.find(name);
    const bool inherited = old != from.end() && old->second == value && !is_not_inherited(name);
    if (ours(name) || inherited) continue;
    append_export(text, entry);
  }
  for (const auto& [name, value] : from) {
    if (!ours(name) && !to.contains(name)) text += "\\builtin unset -v " + name + "\n";
  }
}

// A function may have been defined while extended patterns were on, and then needs them to be read.
constexpr std::string_view kFunctionOption = "extglob";

void append_option_changes(std::string& text, const ShellState& from, const ShellState& to) {
  for (const auto& [option, on] : to.options) {
    const auto old = from.options.find(option);
    if (is_late_option(option) || (old != from.options.end() && old->second == on)) continue;
    append_option(text, option, on);
  }
  for (const auto& [option, on] : from.options) {
    if (!is_late_option(option) && !to.options.contains(option)) append_option(text, option, !on);
  }
}

void append_definition_changes(std::string& text, const ShellState& from, const ShellState& to) {
  const bool defines = from.functions != to.functions;
  if (defines) append_option(text, std::string(kFunctionOption), true);
  for (const auto& [name, function] : from.functions) {
    const auto now = to.functions.find(name);
    if (now == to.functions.end() || now->second != function) {
      text += "\\builtin unset -f " + single_quote(name) + "\n";
    }
  }
  for (const auto& [name, function] : to.functions) {
    const auto old = from.functions.find(name);
    if (name == "builtin" || (old != from.functions.end() && old->second == function)) continue;
    append_function(text, name, function);
  }
  for (const auto& [name, value] : from.aliases) {
    if (!to.aliases.contains(name)) text += "\\builtin unalias -- " + single_quote(name) + "\n";
  }
  for (const auto& [name, value] : to.aliases) {
    const auto old = from.aliases.find(name);
    if (old == from.aliases.end() || old->second != value) append_alias(text, name, value);
  }
  if (defines)
    append_option(text, std::string(kFunctionOption), from.options.contains(kFunctionOption));
  append_option_changes(text, from, to);
}

// Only a plain `exec` keeps its redirection: not `builtin exec`, and not a function of that name.
void append_errors(std::string& text, const ShellState& from, const Dispatch& dispatch) {
  if (dispatch.errors_path.empty()) return;
  const auto own = from.functions.find("exec");
  if (own != from.functions.end()) text += "\\builtin unset -f exec\n";
  text += "\\exec 2>" + dispatch.errors_path + "\n";
  if (own != from.functions.end()) append_function(text, own->first, own->second);
}

// The shell was started elsewhere. `cd` sets OLDPWD, which is put back. A link on the way that was
// changed since the command was judged must not lead it to another directory.
void append_directory(std::string& text, const ShellState& to, const Dispatch& dispatch) {
  text += "\\builtin cd -- " + single_quote(to.cwd) + " || \\builtin exit 126\n";
  if (!dispatch.directory_path.empty()) {
    text += "\\builtin test /proc/self/cwd -ef " + dispatch.directory_path +
            " || { \\builtin printf 'bash: %s: the directory has changed since the command was "
            "judged\\n' " +
            single_quote(to.cwd) + " >&2; \\builtin exit 126; }\n";
  }
  if (const auto old = to.variables.find("OLDPWD"); old != to.variables.end()) {
    text += "\\builtin export OLDPWD=" + single_quote(old->second) + "\n";
  } else {
    text += "\\builtin unset -v OLDPWD\n\\builtin export OLDPWD\n";
  }
}

// A plain `bash -c` reads the file BASH_ENV names; so does ours, behind the prelude.
void append_bash_env(std::string& text, const ShellState& to) {
  const auto user = to.variables.find("BASH_ENV");
  if (user == to.variables.end()) {
    text += "\\builtin unset -v BASH_ENV\n";
    return;
  }
  text += "\\builtin export BASH_ENV=" + single_quote(user->second) + "\n";
  text += "\\builtin eval \"[[ -e \\\"$BASH_ENV\\\" ]] && \\\\builtin . \\\"$BASH_ENV\\\"\"\n";
}

// The prelude's last line gives $_ the value it has at the start of a plain `bash -c`. By then the
// user's functions are there, so it takes the word that is still ours; and set -x, which must not
// show it.
std::string set_underscore(const ShellState& state) {
  const auto inherited = state.variables.find("_");
  const std::string value =
      single_quote(inherited == state.variables.end() ? "bash" : inherited->second);
  if (!state.functions.contains(":")) return "{ \\: " + value + "; } 2>/dev/null\n";
  if (!state.functions.contains("builtin")) return "{ \\builtin : " + value + "; } 2>/dev/null\n";
  return {};
}

int shell_level(const ShellState& state) {
  const auto found = state.variables.find("SHLVL");
  if (found == state.variables.end()) return 0;
  int level = 0;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), level);
  return level;
}

// A bash at the first level that finds SSH_CLIENT reads ~/.bashrc instead of BASH_ENV, our prelude.
// So it is started one level deeper, and put back here.
void append_shell_level(std::string& text, const ShellState& to) {
  if (const int level = shell_level(to); level < 1) {
    text += "SHLVL=" + std::to_string(level + 1) + "\n";
  }
}

bool same_fixed_entries(const NameMap& from, const NameMap& to) {
  if (from.shares_with(to)) return true;
  const auto next_fixed = [](auto at, auto end) {
    return std::find_if(at, end, [](const auto& entry) { return is_fixed_at_start(entry.first); });
  };
  auto old = next_fixed(from.begin(), from.end());
  auto now = next_fixed(to.begin(), to.end());
  while (old != from.end() && now != to.end() && *old == *now) {
    old = next_fixed(std::next(old), from.end());
    now = next_fixed(std::next(now), to.end());
  }
  return old == from.end() && now == to.end();
}

// Inherited options that would make bash print our own lines: they wait until the last moment.
constexpr std::array<std::string_view, 2> kNoisyOptions{"xtrace", "verbose"};

bool is_noisy(std::string_view option) {
  return std::ranges::find(kNoisyOptions, option) != kNoisyOptions.end();
}

std::string without_noise(std::string_view options) {
  std::string quiet;
  for (const auto& part : std::views::split(options, ':')) {
    const std::string_view option(part.begin(), part.end());
    if (is_noisy(option)) continue;
    if (!quiet.empty()) quiet += ':';
    quiet += option;
  }
  return quiet;
}

void append_noisy_options(std::string& text, const ShellState& to) {
  const auto inherited = to.variables.find("SHELLOPTS");
  if (inherited == to.variables.end()) return;
  for (const auto& part : std::views::split(inherited->second, ':')) {
    const std::string_view option(part.begin(), part.end());
    if (is_noisy(option)) append_option(text, std::string(kSetOption) + std::string(option), true);
  }
}

void append_late_options(std::string& text, const ShellState& to) {
  for (const auto& [option, on] : to.options) {
    if (is_late_option(option)) append_option(text, option, on);
  }
}

}  // namespace

// What only the start of a program can set: names that are not variables (exported functions among
// them), bash's own options, what the prelude ends with and bash counts, and what the loader reads.
bool is_fixed_at_start(std::string_view name) {
  return !is_variable_name(name) || name == "SHELLOPTS" || name == "BASHOPTS" || name == "_" ||
         name == "SHLVL" || name.starts_with("LD_") || name.starts_with("MALLOC_") ||
         name == "GLIBC_TUNABLES";
}

std::string command_room() { return std::string(kCommandRoom, ' '); }

std::string command_argument(std::string_view command) {
  if (command.size() <= kLongestArgument) return std::string(command);
  return "\\builtin eval -- \"$BASH_EXECUTION_STRING\"";
}

std::string environment_block(const ShellState& state) {
  std::string block;
  const auto add = [&](std::string_view name, std::string_view value) {
    block.append(name).append("=").append(value).push_back('\0');
  };
  for (const auto& [name, value] : state.variables) {
    if (name == "BASH_ENV" || name == "PWD" || name == "SHLVL") continue;
    if (name == "SHELLOPTS") {
      add(name, without_noise(value));
    } else {
      add(name, value);
    }
  }
  add("PWD", state.cwd);
  add("SHLVL", std::to_string(std::max(shell_level(state), 1)));
  add("BASH_ENV", kPreludeName);
  return block;
}

std::string go_variable(const std::string& go_pipe) {
  return std::string(kGoVariable) + "=" + go_pipe + '\0';
}

std::string prelude_text(const ShellState& state, Definitions definitions) {
  std::string text;
  if (!state.functions.empty()) append_option(text, std::string(kFunctionOption), true);
  const bool guarded = definitions == Definitions::guarded;
  if (guarded) text += "{ :\n";
  for (const auto& [name, function] : state.functions) {
    if (name == "builtin") continue;
    if (guarded) {
      append_function(text, name, function);
    } else {
      text += function.text;
      if (function.exported) text += "\\builtin declare -fx " + single_quote(name) + "\n";
    }
  }
  for (const auto& [name, value] : state.aliases) append_alias(text, name, value);
  if (guarded) text += "} 2>/dev/null\n";
  if (!state.functions.empty()) append_option(text, std::string(kFunctionOption), false);
  append_option_changes(text, {}, state);
  // BASH_ENV serves as the scratch variable: it goes away anyway.
  const std::string go(kGoVariable);
  // It reads to the end of the pipe, or finds no mark: an `||` list, so that neither sets off an
  // inherited `set -e`.
  text += "\\builtin read -r -N " + std::to_string(kGoPipeRead) + " BASH_ENV <\"$" + go +
          "\" || [[ $BASH_ENV == *\\" + kGoMark + " ]] || \\builtin exit 125\n" +
          "\\builtin unset -v " + go + "\n" + "\\builtin eval \"$BASH_ENV\"\n";
  text += set_underscore(state);
  return text;
}

bool can_become(const ShellState& from, const ShellState& to) {
  if (!same_fixed_entries(from.variables, to.variables)) return false;
  const auto same = [&](const char* name) {
    const auto old = from.functions.find(name);
    const auto now = to.functions.find(name);
    if (old == from.functions.end() || now == to.functions.end()) {
      return old == from.functions.end() && now == to.functions.end();
    }
    return old->second == now->second;
  };
  return same("builtin") && same(":");
}

std::string go_text(const ShellState& from, const ShellState& to, const Dispatch& dispatch) {
  std::string text;
  append_errors(text, from, dispatch);
  append_directory(text, to, dispatch);
  append_shell_level(text, to);
  append_variable_changes(text, from.variables, to.variables);
  append_definition_changes(text, from, to);
  if (to.umask) text += "\\builtin umask " + octal(*to.umask) + "\n";
  if (dispatch.set_execution_string) {
    text += "BASH_EXECUTION_STRING=" + single_quote(dispatch.command) + "\n";
  }
  if (!dispatch.dump_path.empty()) {
    text += "\\builtin trap -- " + single_quote(last_epilogue(dispatch)) + " EXIT\n";
  }
  // A bash that replaces itself with another bash could not be distinguished from it when a signal
  // ends it. A trap for a signal that nobody sends keeps it from doing so.
  if (dispatch.dump_path.empty() && dispatch.command.contains("bash")) {
    text += "\\builtin trap -- : RTMAX\n";
  }
  append_bash_env(text, to);
  if (!dispatch.dump_path.empty() && mentions(dispatch.command, to, "trap")) {
    text += trap_helper(dispatch);
  }
  if (dispatch.restart_clock && mentions(dispatch.command, to, "SECONDS")) text += "SECONDS=0\n";
  append_late_options(text, to);
  append_noisy_options(text, to);
  // Last: from here on `builtin` would be the user's.
  if (const auto own = to.functions.find("builtin"); own != to.functions.end()) {
    text += own->second.text;
  }
  return text;
}

bool fits_go_pipe(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  return text.size() + 2 < kGoPipeRead && std::ranges::all_of(text, is_ascii);
}

std::string through_go_pipe(std::string_view text) { return std::string(text) + '\n' + kGoMark; }

std::string read_go_file(const std::string& path) {
  return "IFS= \\builtin read -r -d '' BASH_ENV <" + path + " || [[ -n $BASH_ENV ]]\n" +
         "\\builtin eval \"$BASH_ENV\"";
}

bool is_trap_helper(std::string_view name, const ShellFunction& function) {
  return name == "trap" && function.text.contains("POSIXLY_CORRECT=$?");
}

}  // namespace talaria::shell
