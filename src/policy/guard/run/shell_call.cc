#include "policy/guard/run/shell_call.h"

#include <algorithm>

#include "policy/guard/run/given_lists.h"
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

// Programs that take commands from their input, or that can be told there to run one, unless an
// option or an operand says what they do instead.
constexpr std::size_t kAnyOperands = 1000;
struct InputReader {
  std::string_view programs;
  std::string_view given = {};  // options that give them instead: letters behind one dash, names
  std::size_t operands = 0;     // more than these, and they are given
};
constexpr InputReader kInputReaders[] = {
    // With a way to a shell:
    {"vim vi nvim view vimdiff gvim ex emacs nano pico joe jed mg micro hx helix kak ne jmacs", "",
     kAnyOperands},
    {"less more most man info pinfo perldoc zless zmore", "", kAnyOperands},
    {"mc ranger nnn vifm lf mutt neomutt mail mailx lynx w3m elinks tig lazygit visudo vipw", "",
     kAnyOperands},
    {"screen byobu zellij dtach abduco", "", kAnyOperands},
    {"gitui vipe vidir fzf irssi weechat radare2 r2 scapy jdb osqueryi claude codex aider gemini",
     "p print", kAnyOperands},
    {"xargs parallel", "a arg-file", kAnyOperands},
    {"ocaml utop octave swipl gprolog gnuplot m4 maxima gap sage clisp ecl racket csi clj "
     "spark-shell pyspark bpython ptpython",
     "ec eval", 0},
    {"ssh mosh et slogin", "", 1},
    {"telnet rlogin rsh nc ncat netcat socat", "lz", 2},
    {"psql pgcli", "cfl command file list", 2},
    {"mysql mariadb mycli mysqlsh", "e execute", 1},
    {"sqlite3 sqlite duckdb litecli", "", 1},
    {"redis-cli", "", 0},
    {"mongosh mongo", "eval file", 1},
    {"clickhouse-client sqlcmd sqlplus cqlsh influx usql spark-sql beeline hive",
     "qQefc query execute file command", 1},
    {"gdb lldb", "batch", kAnyOperands},
    {"ed", "", 1},
    {"ftp sftp lftp", "bcef", 1},
    {"irb ipython ghci jshell groovysh iex erl julia R scala sbcl guile pry", "ce", 0},
    {"at batch", "lfdrq", 9},
    {"crontab", "ler", 0},
    {"dc bc", "e", 0},
    {"pwsh powershell clojure scheme lein-repl cgdb k9s login ansible-console", "ceCf", 0},
    {"nix-shell", "run command", kAnyOperands},
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

bool has_word(const SeenCommand& command, std::string_view list) {
  return std::any_of(command.words.begin() + 1, command.words.end(),
                     [&](const SeenWord& word) { return among(word.text, list); });
}

// Programs of which only some commands read more of them, or start something that does.
struct VerbReader {
  std::string_view programs;
  std::string_view verbs;         // one of these words
  std::string_view with = {};     // and one of these; empty: nothing more
  std::string_view without = {};  // and none of these
};
constexpr VerbReader kVerbReaders[] = {
    {"git", "log diff show blame reflog shortlog help", "", "--no-pager -P"},
    {"git", "add commit checkout restore reset stash", "-p -i -e --patch --interactive --edit"},
    {"git", "commit", "", "-m -F -C --message --file --no-edit --dry-run --fixup -am --amend"},
    {"git", "rebase", "-i --interactive"},
    {"journalctl systemctl", "", "", "--no-pager"},
    {"crontab", "-e"},
    {"tmux", "new new-session attach attach-session at a -C -CC", "", "-d"},
    {"gcc cc g++ c++ clang clang++ tcc rustc", "-"},
    {"make gmake", "-f", "- /dev/stdin"},
    {"patch", "", "", "-i --input --dry-run"},
    {"talaria", "mcp", "", "install"},
    {"talaria", "call", "--lines"},
    {"talaria", "attach"},
    {"rails", "c db"},
    {"vagrant", "ssh"},
    {"clickhouse", "local client", "", "-q --query"},
    {"docker podman nerdctl", "attach"},
    {"kubectl oc", "attach debug"},
    {"pytest py.test", "--pdb --trace"},
    {"nix", "develop", "", "-c --command"},
    {"npm", "explore edit"},
    {"winpty", "bash sh cmd powershell"},
};

bool reads_more(const SeenCommand& command, const VerbReader& reader) {
  if (!among(command.program, reader.programs)) return false;
  return (reader.verbs.empty() || has_word(command, reader.verbs)) &&
         (reader.with.empty() || has_word(command, reader.with)) &&
         (reader.without.empty() || !has_word(command, reader.without));
}

// docker run -it alpine: a shell, if nothing else is said
bool opens_container(const SeenCommand& command) {
  if (!among(command.program, "docker podman nerdctl kubectl oc")) return false;
  const bool interactive =
      std::any_of(command.words.begin() + 1, command.words.end(), [](const SeenWord& word) {
        const std::string_view text = word.text;
        const bool letters = text.starts_with('-') && !text.starts_with("--");
        return among(text, "--interactive --stdin --tty") || (letters && text.contains('i'));
      });
  return interactive && has_word(command, "run exec start") && inner_commands(command).empty();
}

// Whatever the program: cabal repl, ./manage.py shell, php artisan tinker, toolbox enter x. One of
// the first operands, as an option may have a value.
bool opens_prompt(const SeenCommand& command) {
  constexpr std::string_view kPrompts =
      "repl ghci shell shell_plus dbshell console dbconsole tinker enter interact exec";
  constexpr std::string_view kNoVerbs = "echo cat tail head grep rg ls cd watch mkdir rm cp mv";
  if (among(command.program, kNoVerbs)) return false;
  std::size_t operands = 0;
  for (std::size_t i = 1; i < command.words.size() && operands < 2; ++i) {
    if (command.word(i).starts_with('-')) continue;
    ++operands;
    // nix shell -c X, bundle exec X: what they run is judged by itself
    if (among(command.word(i), kPrompts)) {
      return inner_commands(command).empty() && !has_word(command, "-c --command");
    }
  }
  return false;
}

// python3 -m asyncio, perl -d app.pl, node inspect app.js
bool debugs(const SeenCommand& command) {
  if (command.program.starts_with("python")) {
    return has_word(command, "asyncio code pdb ipdb IPython ptpython bpython --pdb --trace");
  }
  if (command.program == "perl") return command.word(1).starts_with("-d");
  if (command.program == "node") return among(command.word(1), "inspect debug");
  return command.program == "php" && has_word(command, "-a --interactive");
}

// python3, python3 -, python3 -i app.py; but not python3 app.py, python3 -c …, python3 -m …
bool interprets_input(const SeenCommand& command) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (among(word, "- -i --interactive")) return true;
    if (!word.starts_with('-')) return descriptor_of(word) == 0;
    if (among(word, "--version --help -V -h -v")) return false;
    const bool inline_text = word.starts_with("--eval") || word.starts_with("--print") ||
                             (word[1] != '-' && word.find_first_of("cemprREB", 1) != word.npos);
    if (inline_text) return false;
    if (among(word, "-W -X -I")) ++i;
  }
  return true;
}

}  // namespace

bool runs_what_it_reads(const SeenCommand& command) {
  if (has_word(command, "--version --help")) return false;
  if (opens_prompt(command)) return true;
  if (is_interpreter(command.program)) return debugs(command) || interprets_input(command);
  if (command.program == "tmux" && command.words.size() == 1) return true;
  const bool more = std::ranges::any_of(
      kVerbReaders, [&](const VerbReader& one) { return reads_more(command, one); });
  if (more || opens_container(command) || reads_list(command)) return true;
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
  if (among(program, "newgrp sg fakeroot unshare nsenter chroot proot firejail wsl")) {
    return inner_commands(command).empty();
  }
  return false;
}

}  // namespace talaria::guard
