#include "policy/guard/run/shell_call.h"

#include <algorithm>

#include "policy/guard/run/inner.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {

bool is_shell(std::string_view program) {
  if (!program.ends_with("sh") && !among(program, "ksh93 nu")) return false;
  return among(program,
               "bash sh zsh dash ksh ash mksh fish rbash csh tcsh yash osh ysh posh lksh pdksh "
               "ksh93 elvish nu xonsh");
}

bool is_shell_text(std::string_view text) {
  const std::string_view program = base_name(text.substr(0, text.find(' ')));
  return text.find_first_of(";|&$`<>()\n") != std::string_view::npos || is_shell(program);
}

bool is_interpreter(std::string_view program) {
  for (const std::string_view name :
       {"python",  "pypy", "perl",   "ruby",    "node",  "nodejs", "php",     "deno",
        "bun",     "lua",  "luajit", "Rscript", "R",     "julia",  "ipython", "tsx",
        "ts-node", "qjs",  "groovy", "elixir",  "jruby", "mruby",  "tclsh",   "expect"}) {
    if (!program.starts_with(name)) continue;
    const std::string_view version = program.substr(name.size());
    if (version.find_first_not_of("0123456789.") == std::string_view::npos) return true;
  }
  return false;
}

ShellCall read_shell_call(const SeenCommand& command) {
  ShellCall call;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (word == "--" || word == "-") {
      if (call.has_text) call.text = i + 1;
      call.script = call.has_text ? 0 : i + 1;
      break;
    }
    if (word == "--version" || word == "--help") call.runs_nothing = true;
    if (word.starts_with("--")) {
      if (word == "--rcfile" || word == "--init-file") ++i;
      continue;
    }
    if (word.size() > 1 && (word.front() == '-' || word.front() == '+')) {
      if (word.front() == '-' && word.contains('c')) call.has_text = true;
      if (word.front() == '-' && word.contains('s') && !word.contains('c')) return {};
      if (word.back() == 'o' || word.back() == 'O') ++i;
      continue;
    }
    (call.has_text ? call.text : call.script) = i;
    break;
  }
  if (call.has_text && call.text == 0) call.text = command.words.size();
  if (call.script >= command.words.size()) call.script = 0;
  if (call.script > 0 && command.word(call.script) == "/dev/stdin") call.script = 0;
  return call;
}

bool starts_shell(const SeenCommand& command) {
  const std::string& program = command.program;
  const auto has = [&](std::string_view letters, std::string_view names) {
    return std::any_of(command.words.begin() + 1, command.words.end(), [&](const SeenWord& word) {
      const std::string_view text = word.text;
      if (text.starts_with("--")) return among(text.substr(2, text.find('=') - 2), names);
      return text.starts_with('-') && text.find_first_of(letters, 1) != std::string_view::npos;
    });
  };
  if (among(program, "su script")) return !has("c", "command session-command");
  if (program == "runuser") return !has("cu", "command session-command user");
  if (program == "sudo" || program == "doas") {
    return has("si", "shell login") && inner_commands(command).empty();
  }
  if (among(program, "newgrp fakeroot unshare nsenter chroot")) {
    return inner_commands(command).empty();
  }
  return false;
}

}  // namespace talaria::guard
