#include "shell/sh_script.h"

#include <algorithm>
#include <vector>

#include "shell/quote.h"

namespace talaria::shell {
namespace {

// Behind a definition of aliases every word of ours is quoted, so that none of them changes it.
//
// Where the go text is: first the pipe that will say so, then that file. A command that is too long
// for an argument is in it, too, in the end.
constexpr std::string_view kGo = "__TALARIA_GO";

std::string wait_line() {
  const std::string go(kGo);
  return "IFS= read -r " + go + " <\"$" + go + "\" || exit 125; . \"$" + go + "\"\n";
}

bool fits(std::string_view command) {
  return wait_line().size() + command.size() <= kLongestArgument;
}

// Nothing but builtins: a variable of 300 KB would let no program start. The options come first,
// since the second line changes them.
std::string dump_commands(const Dispatch& dispatch) {
  const std::string nonce = dispatch.nonce;
  return "{ \\command printf '\\0%s\\0%s\\0' " + nonce +
         " \"0 -$- \"\n"
         "\\set +aefuvxC; \\command trap '' XFSZ PIPE\n"
         "\\command umask; \\command printf '\\0'\n"
         "\\command pwd || \\command printf '%s\\n' \"$PWD\"; \\command printf '\\0'\n"
         "\\export -p; \\command printf '\\0'\n"
         "\\command alias; \\command printf '\\0\\0\\0%s\\0' " +
         nonce + "\n} 2>/dev/null >|" + dispatch.dump_path;
}

void append_variables(std::string& text, const NameMap& from, const NameMap& to) {
  const auto is_theirs = [](const std::string& name) {
    return (is_session_variable(name) || comes_with_call(name)) && is_variable_name(name);
  };
  for (const auto& [name, value] : to) {
    const auto old = from.find(name);
    // `cd` has set OLDPWD, and sh takes IFS from nobody.
    const bool inherited =
        old != from.end() && old->second == value && name != "OLDPWD" && name != "IFS";
    if (inherited || !is_theirs(name)) continue;
    text += "export " + name + "=" + single_quote(value) + "\n";
  }
  for (const auto& [name, value] : from) {
    if (is_theirs(name) && !to.contains(name)) text += "unset " + name + "\n";
  }
}

// Only bash reads that file; programs that start a bash shall see the name.
void append_sh_bash_env(std::string& text, const ShellState& to) {
  const auto user = to.variables.find("BASH_ENV");
  text += user == to.variables.end() ? "unset BASH_ENV\n"
                                     : "export BASH_ENV=" + single_quote(user->second) + "\n";
}

void append_options(std::string& text, const ShellState& to) {
  for (const auto& [option, on] : to.options) {
    if (option.starts_with(kSetOption)) {
      text += std::string(on ? "\\set -o " : "\\set +o ") + option.substr(kSetOption.size()) +
              " 2>/dev/null\n";
    }
  }
}

}  // namespace

std::string sh_argument(std::string_view command) {
  if (!fits(command)) {
    return wait_line() + "\\eval \"\\\\unset " + std::string(kGo) + "\n$" + std::string(kGo) + "\"";
  }
  return wait_line() + std::string(command);
}

std::string sh_go_text(const ShellState& from, const ShellState& to, const Dispatch& dispatch) {
  std::string text;
  if (!dispatch.errors_path.empty()) text += "\\exec 2>" + dispatch.errors_path + "\n";
  text += "cd -- " + single_quote(to.cwd) + " || exit 126\nunset OLDPWD\n";
  append_sh_bash_env(text, to);
  append_variables(text, from.variables, to.variables);
  if (to.umask) text += "umask " + octal(*to.umask) + "\n";
  for (const auto& [name, value] : to.aliases) {
    text += "\\alias " + single_quote(name + "=" + value) + "\n";
  }
  if (!dispatch.dump_path.empty()) {
    text += "\\trap " + single_quote(dump_commands(dispatch)) + " EXIT\n";
  }
  text += fits(dispatch.command) ? "\\unset " + std::string(kGo) + "\n"
                                 : std::string(kGo) + "=" + single_quote(dispatch.command) + "\n";
  append_options(text, to);
  return text;
}

std::string sh_login_text(const LoginPlan& plan, std::string_view nonce) {
  std::vector<std::string> files{"/etc/profile", plan.home + "/.profile"};
  for (const std::string& file : plan.more_files) {
    if (std::ranges::find(files, file) == files.end()) files.push_back(file);
  }
  std::string text;
  for (const std::string& file : files) {
    const std::string quoted = single_quote(file);
    text += "if [ -f " + quoted + " ] && [ -r " + quoted + " ]; then . " + quoted + "; fi\n";
    text += "set +eu\n";
  }
  return text + "export " + std::string(kLoginDone) + "=" + std::string(nonce) + "\n";
}

}  // namespace talaria::shell
