#include "policy/guard/run/shell_call.h"

#include <algorithm>

#include "policy/guard/run/inner.h"
#include "policy/guard/run/io.h"
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

namespace {

// Programs that take commands from their input unless an option or an operand gives them.
struct InputReader {
  std::string_view programs;
  std::string_view given = "";  // options that give them instead: letters behind one dash, names
  std::size_t operands = 0;     // more than these, and they are given
};
constexpr InputReader kInputReaders[] = {
    {"ssh mosh et slogin", "", 1},
    {"telnet rlogin rsh nc ncat netcat socat", "lz", 2},
    {"psql", "cfl command file list", 2},
    {"mysql mariadb", "e execute", 1},
    {"sqlite3 sqlite duckdb", "", 1},
    {"redis-cli", "", 0},
    {"mongosh mongo", "eval file", 1},
    {"clickhouse-client sqlcmd sqlplus cqlsh influx", "qQef query execute file", 1},
    {"gdb lldb", "batch", 2},
    {"ed ex", "", 1},
    {"ftp sftp lftp", "bcef", 1},
    {"irb ipython ghci jshell groovysh iex erl julia R scala sbcl guile bpython pry", "ce", 0},
    {"at batch", "lfdrq", 9},
    {"crontab", "ler", 0},
    {"dc bc", "e", 0},
};

bool is_given(const SeenCommand& command, const InputReader& reader) {
  std::size_t operands = 0;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (word == "-") continue;
    if (word.starts_with("--")) {
      if (among(word.substr(2, word.find('=') - 2), reader.given)) return true;
    } else if (word.starts_with('-')) {
      if (among(word.substr(1), reader.given)) return true;
      const std::string_view letters = reader.given.substr(0, reader.given.find(' '));
      if (word.find_first_of(letters, 1) == 1) return true;
      if (i + 1 < command.words.size() && !command.word(i + 1).starts_with('-')) ++i;
    } else {
      ++operands;
    }
  }
  return operands > reader.operands;
}

// python3, python3 -, python3 -i app.py; but not python3 app.py, python3 -c …, python3 -m …
bool interprets_input(const SeenCommand& command) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (among(word, "- -i --interactive")) return true;
    if (!word.starts_with('-')) return descriptor_of(word) == 0;
    if (among(word, "--version --help -V -h -v")) return false;
    if (among(word, "-m") && among(command.word(i + 1), "pdb code ipdb IPython")) return true;
    const bool inline_text = word.starts_with("--eval") || word.starts_with("--print") ||
                             (word[1] != '-' && word.find_first_of("cemprREB", 1) != word.npos);
    if (inline_text) return false;
    if (among(word, "-W -X -I")) ++i;
  }
  return true;
}

}  // namespace

bool runs_what_it_reads(const SeenCommand& command) {
  if (is_interpreter(command.program)) return interprets_input(command);
  const auto* const reader = std::ranges::find_if(
      kInputReaders, [&](const InputReader& one) { return among(command.program, one.programs); });
  return reader != std::end(kInputReaders) && !is_given(command, *reader);
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
