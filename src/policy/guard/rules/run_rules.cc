// Programs with a language of their own in which commands can be run: editors, filters, debuggers,
// clients of databases, make.
#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "policy/guard/rules/rule.h"
#include "policy/guard/run/filter_script.h"
#include "policy/guard/run/inner.h"
#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

bool sed_runs(const Arguments& arguments) {
  const FilterActions actions = filter_actions(arguments.command);
  return actions.runs_commands || !actions.commands.empty();
}

bool awk_runs(const Arguments& arguments) {
  return filter_actions(arguments.command).runs_commands;
}

bool script_unknown(const Arguments& arguments) {
  return filter_actions(arguments.command).unknown;
}

bool script_writes(const Arguments& arguments) {
  const std::vector<std::string> files = filter_actions(arguments.command).files;
  return std::ranges::any_of(files, [&](const std::string& path) {
    const std::string whole = arguments.resolved({path}).text;
    return arguments.paths.is_sensitive(whole) || arguments.paths.below_system(whole) ||
           arguments.paths.is_project_config(whole);
  });
}

bool reads_makefile(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  const std::vector<SeenWord> files = option_values(command, 'f', "file");
  const std::vector<SeenWord> others = option_values(command, '\0', "makefile");
  const auto unknown = [&](const SeenWord& word) {
    return among(word.text, "- /dev/stdin") ||
           (word.text.starts_with("/dev/fd/") && !command.processes.empty());
  };
  return std::ranges::any_of(files, unknown) || std::ranges::any_of(others, unknown) ||
         arguments.has("--eval|-E");
}

// make SHELL=/tmp/x; bash and sh are what it would use anyway
bool changes_shell(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    if (word.starts_with(".SHELLFLAGS")) return true;
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return false;
    std::string_view name = word.substr(0, equals);
    while (name.ends_with(':') || name.ends_with('+')) name.remove_suffix(1);
    const std::string_view shell = word.substr(equals + 1);
    const bool usual =
        is_shell(base_name(shell)) &&
        (shell == base_name(shell) || shell.starts_with("/bin/") || shell.starts_with("/usr/bin/"));
    return name == "SHELL" && !usual;
  });
}

// Calls `test` with every line a program is given by its words and its input.
template <class Test>
bool any_line(const Arguments& arguments, Test test) {
  const auto in_text = [&](std::string_view text) {
    while (!text.empty()) {
      if (test(trim(next_word(text, '\n')))) return true;
    }
    return false;
  };
  return arguments.any_word(in_text) ||
         (arguments.command.input.text && in_text(*arguments.command.input.text));
}

// \! command, COPY … TO PROGRAM 'command', .shell command, system command
bool client_runs(const Arguments& arguments) {
  const bool dots = among(arguments.command.program, "sqlite3 sqlite duckdb");
  return any_line(arguments, [&](std::string_view line) {
    const std::string text = lower_case(line);
    if (dots) {
      for (const std::string_view start : {".she", ".sh ", ".sy", ".load"}) {
        if (text.starts_with(start)) return true;
      }
      const bool piped = text.starts_with(".output") || text.starts_with(".once") ||
                         text.starts_with(".import") || text.starts_with(".read") ||
                         text.starts_with(".o ");
      return (piped && text.contains('|')) || text.contains("load_extension(") ||
             text.contains("edit(") || text.contains("writefile(");
    }
    const std::size_t program = text.find("program");
    const bool copies = program != std::string::npos && text.contains("copy") &&
                        text.find('\'', program) != std::string::npos;
    return text.contains("\\!") || copies || text.starts_with("system ") ||
           (text.starts_with("\\o") && text.contains('|')) || text.starts_with("\\g |") ||
           text.starts_with("\\setenv") || text.contains("lo_export(");
  });
}

bool debugger_runs(const Arguments& arguments) {
  return any_line(arguments, [](std::string_view line) {
    if (line.starts_with('!')) return line.size() > 1;
    const std::string_view verb = line.substr(0, line.find_first_of(" \t"));
    return line.contains("system(") || line.contains("execl(") ||
           (line.size() > verb.size() &&
            among(verb,
                  "shell python py python-interactive pi pipe make guile script call kill")) ||
           line.starts_with("platform shell");
  });
}

// :!command, %!command, r !command, w !command, system('…')
bool editor_line_runs(std::string_view line) {
  for (std::size_t at = 0; (at = line.find('!', at)) != std::string_view::npos; ++at) {
    const std::string_view behind = trim(line.substr(at + 1));
    if (behind.empty() || behind.starts_with('|') || behind.starts_with('=')) continue;
    const char before = at > 0 ? line[at - 1] : ':';
    const bool reads = line.substr(0, at) == "r" || line.substr(0, at).ends_with(":r") ||
                       line.substr(0, at).ends_with("read");
    if (std::string_view(":+ %.$0123456789'").contains(before) || reads) return true;
  }
  for (const std::string_view call :
       {"system(", "systemlist(", "job_start(", "os.execute", "io.popen", "termopen", "delete(",
        "writefile(", "libcall(", "shell-command", "call-process", "start-process", "delete-file",
        "delete-directory"}) {
    if (line.contains(call)) return true;
  }
  std::string_view verb = line;
  while (verb.starts_with(':') || verb.starts_with('+')) verb.remove_prefix(1);
  verb = verb.substr(0, verb.find_first_of(" \t"));
  return among(verb, "py python py3 python3 pyx perl ruby lua tcl mzscheme terminal term") &&
         line.size() > verb.size() + 1;
}

bool editor_runs(const Arguments& arguments) {
  return arguments.any_word(editor_line_runs) ||
         (arguments.command.input.text &&
          any_line(arguments, [](std::string_view line) { return editor_line_runs(line); }));
}

// A program in a language that nobody here reads, from its input.
bool reads_program(const Arguments& arguments) {
  const SeenInput::Kind kind = arguments.command.input.kind;
  if (kind != SeenInput::Kind::document && kind != SeenInput::Kind::pipe) return false;
  if (arguments.command.program == "cmake") {
    return arguments.any_word([](std::string_view word) { return word == "/dev/stdin"; });
  }
  return arguments.operands().empty() || arguments.verb(0) == "-" ||
         arguments.verb(0) == "/dev/stdin";
}

bool evaluates(const Arguments& arguments) {
  return arguments.has("-c|-e|--eval|--eval*|-eval|--execute|-E|--command");
}

// (display (+ 1 2)): every name in it computes or prints
bool only_computes(std::string_view text) {
  constexpr std::string_view kNames =
      "print println say display displayln newline putStrLn show map filter fold foldl foldr "
      "reduce sum product length reverse sort take drop range iota abs sqrt max min mod div rem "
      "quotient remainder expt exp log sin cos tan pi format message let lambda fn def define if "
      "then else inc dec list vector str string concat apply zip replicate succ pred even odd not "
      "and or true false nil float int round floor ceiling princ terpri write prime";
  std::string word;
  bool computes = false;
  char quote = '\0';
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if (quote != '\0') {
      if (c == '\\') ++i;
      if (c == quote) quote = '\0';
      continue;
    }
    if (c == '`' || c == '!' || c == '$') return false;
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-') {
      word += c;
      continue;
    }
    if (c == '"') quote = c;
    const bool number = word.find_first_not_of("0123456789-e") == std::string::npos;
    const bool known = among(word, kNames);
    if (word.size() > 1 && !number && !known) return false;
    computes = computes || known || (number && !word.empty());
    word.clear();
  }
  return computes && quote == '\0';
}

bool evaluates_unread(const Arguments& arguments) {
  if (!evaluates(arguments)) return false;
  for (const auto& [letter, name] : {std::pair{'e', "eval"}, {'c', "command"}, {'E', "execute"}}) {
    for (const SeenWord& word : option_values(arguments.command, letter, name)) {
      if (word.known() && only_computes(word.text)) return false;
    }
  }
  return true;
}

// What a calculator has to start programs and to touch files.
bool calculator_acts(const Arguments& arguments) {
  const auto acts = [&](std::string_view text) {
    for (const std::string_view name :
         {"system",   "unix",    "dos(",      "shell",      "popen",  "exec",
          "spawn",    "unlink",  "delete",    "rmdir",      "rename", "movefile",
          "copyfile", "eval",    "fopen",     "save",       "write",  "source",
          "load",     "extern",  "import os", "subprocess", "open(",  "confirm_recursive",
          "cd(",      "cellfun", "run(",      "feval",      "python", "java",
          "urlread",  "`"}) {
      if (text.contains(name)) return true;
    }
    return text.contains(kUnknownPiece) ||
           (arguments.command.program == "gnuplot" && text.contains('!'));
  };
  return evaluates(arguments) && arguments.any_word([&](std::string_view word) {
    return !among(word, "--eval --exec -e --execute") && acts(word);
  });
}

// m4's syscmd, mail's ~!, dc's !
bool input_runs(const Arguments& arguments) {
  const std::string& program = arguments.command.program;
  return any_line(arguments, [&](std::string_view line) {
    if (program == "m4") return line.contains("syscmd(");
    if (program == "dc") return line.starts_with('!');
    return line.starts_with("~!") || line.starts_with("~|");
  });
}

bool calls_shutdown(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    const std::string_view method = word.substr(word.find_last_of('.') + 1);
    return among(method, "Suspend Hibernate HybridSleep SuspendThenHibernate StopUnit KillUnit");
  });
}

// Of LD_PRELOAD: libraries of the system are what packages bring.
bool is_foreign_library(std::string_view name, std::string_view path) {
  if (!among(name, "LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES")) return false;
  const bool system = (path.starts_with("/usr/lib") || path.starts_with("/lib") ||
                       path.starts_with("/opt/") || !path.contains('/')) &&
                      !path.contains("..") && !path.contains(kUnknownPiece);
  return !path.empty() && !system;
}

bool loads_library(const Arguments& arguments) {
  return std::ranges::any_of(arguments.command.variables, [](const SeenAssignment& one) {
    return is_foreign_library(one.name, one.value.text);
  });
}

// env LD_PRELOAD=x ls
bool loads_library_by_word(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    const std::size_t equals = word.find('=');
    return equals != std::string_view::npos &&
           is_foreign_library(word.substr(0, equals), word.substr(equals + 1));
  });
}

bool exports_library(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    const std::size_t equals = word.find('=');
    return equals != std::string_view::npos && equals + 1 < word.size() &&
           among(word.substr(0, equals), "LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES");
  });
}

constexpr auto kRunRules = only_ours(std::to_array<Rule>({
    {.key = "sed script that runs commands",
     .programs = "sed gsed",
     .when = sed_runs,
     .yes = {"sed '1e id' f", "sed 's/^/id /e' f", "sed -n '/x/{s/a/b/;e' f",
             "sed --expression='$!e id' f", "sed -ne 's,a,b,ge' f", "echo id | sed e"},
     .no = {"sed 's/a/e/' f", "sed -n '1,5p' f", "sed 's/e/e/g;s/x/e w/' f", "sed '/e/d' f",
            "sed -e 's/a/b/' -e 'y/abc/xye/' f", "sed 'a hello e'"}},
    {.key = "awk program that runs commands",
     .programs = "awk gawk mawk nawk original-awk",
     .when = awk_runs,
     .yes = {"awk 'BEGIN { system(\"id\") }'", "awk '{print | c}' f",
             "awk 'BEGIN{system (\"id\")}'", "awk '{\"id\" | getline x}' f",
             "awk '{print |& \"sh\" x}' f"},
     .no = {"awk '{print $1}' f", "awk '/a|b/' f", "awk -F'|' '{print $2}' f",
            "awk '{print $1 | \"sort -u\"}' f", "awk '$1 ~ /x|y/ || $2 > 3' f",
            "awk '{print \"system(\" $1 \")\"}' f"}},
    {.key = "script that is known only when it runs",
     .rule_class = RuleClass::unclear,
     .programs = "sed gsed awk gawk mawk nawk",
     .when = script_unknown,
     .yes = {"sed -f <(cat x) f", "awk -f <(printf x) f", "cat x | sed -f - f"},
     .no = {"sed -f fix.sed f", "awk -f sum.awk f", "awk -f sum.awk <(cat f)"}},
    {.key = "sed or awk writes a system or configuration file",
     .programs = "sed gsed awk gawk mawk nawk",
     .when = script_writes,
     .yes = {"sed -n 'w /etc/passwd' f", "awk '{print > \"/etc/hosts\"}' f",
             "sed 's/a/b/w /home/alice/.bashrc' f"},
     .no = {"sed -n 'w out.txt' f", "awk '{print > \"out.txt\"}' f", "awk '$1 > 5' f"}},
    {.key = "makefile that is known only when it runs",
     .rule_class = RuleClass::unclear,
     .programs = "make gmake",
     .when = reads_makefile,
     .yes = {"make -f - <<< 'all: ; rm x'", "printf x | make -f -", "make --file=- all",
             "make --eval='x:;id' x", "make -E 'x:;id'", "make -f <(echo x)"},
     .no = {"make -f other.mk", "make -j4", "make", "make -C sub -e all", "make -e"}},
    {.key = "make with another shell",
     .programs = "make gmake",
     .when = changes_shell,
     .yes = {"make SHELL=/tmp/x", "make SHELL='sh -c id' all", "make .SHELLFLAGS='-c id;'"},
     .no = {"make SHELL=/bin/bash", "make CC=gcc", "make SHELL=bash"}},
    {.key = "database client that runs commands",
     .programs = "psql mysql mariadb sqlite3 sqlite duckdb pgcli mycli litecli usql",
     .when = client_runs,
     .yes = {"psql -c '\\! id'", "psql <<'E'\n\\! id\nE", "sqlite3 x.db '.shell id'",
             "psql -c \"copy t to program 'id'\"", "mysql -e '\\! id'",
             "sqlite3 x.db <<'E'\n.system id\nE"},
     .no = {"psql -c 'select 1'", "sqlite3 x.db .tables", "sqlite3 x.db '.mode csv' '.once o.csv'",
            "psql -c 'select program from t'", "sqlite3 x.db .schema"}},
    {.key = "debugger that runs commands",
     .programs = "gdb lldb cgdb",
     .when = debugger_runs,
     .yes = {"gdb -batch -ex 'shell id'", "gdb -ex '!id' x", "gdb -ex 'call (int)system(\"id\")' x",
             "lldb -o 'platform shell id' x", "gdb -ex 'python import os' x"},
     .no = {"gdb -batch -ex run -ex bt ./app", "gdb -p 12 -ex 'thread apply all bt' -batch",
            "lldb -o run -- ./app"}},
    {.key = "editor that runs commands",
     .programs = "vim vi nvim ex view gvim vimdiff ed emacs emacsclient ed.real",
     .when = editor_runs,
     .yes = {"vim -c ':!rm x'", "vim -es '+%!id' f", "ex -s f <<'E'\nr !id\nE", "ed f <<< '!id'",
             "nvim --headless -c 'call system(\"id\")' f", "vim -c 'w !sh' f"},
     .no = {"vim x.txt", "vim +10 x.txt", "vim -c ':wq!' f", "vim -es -c '%s/a/b/g' -c 'wq!' f",
            "ed -s f <<'E'\n1,5p\nq\nE", "ex -s -c '%s!a!b!g|x' f"}},
    {.key = "script execution via -e/-c flag",
     .programs = "guile emacs emacsclient sbcl ecl clisp racket clojure clj bb ghc swift jshell "
                 "kotlin ocaml gforth raku crystal gjs micropython jython iex",
     .when =
         [](const Arguments& a) {
           const bool builds =
               a.command.program == "swift" && a.begins("build|test|run|package|sdk");
           return evaluates_unread(a) && !builds;
         },
     .yes = {"guile -c '(system \"id\")'", "emacs --batch --eval '(x)'", "ghc -e 'main'"},
     .no = {"emacs -nw f", "swift build", "swift build -c release", "guile -c '(display (+ 1 2))'",
            "ghc -e 'sum (map (*2) [1..5])'"},
     .elsewhere = false},
    {.key = "script execution via -e/-c flag",
     .programs = "octave octave-cli gnuplot sage maxima gp scilab scilab-cli",
     .when = calculator_acts,
     .yes = {"octave --eval 'system(\"id\")'", "gnuplot -e '!id'", "octave --eval \"$x\""},
     .no = {"octave --eval 'A = magic(4); disp(eig(A))'", "gnuplot -e 'plot sin(x)'", "octave x.m"},
     .elsewhere = false},
    {.key = "script execution via heredoc",
     .programs = "jshell kotlinc scala groovysh ghci irb pry cmake swipl gnuplot octave",
     .when = reads_program,
     .yes = {"jshell - <<< 'x'", "cmake -P /dev/stdin <<< 'file(REMOVE x)'"},
     .no = {"cmake -P build.cmake", "jshell x.jsh", "cmake --build build"},
     .elsewhere = false},
    {.key = "input with commands for a shell",
     .programs = "m4 mail mailx dc",
     .when = input_runs,
     .yes = {"m4 <<< 'syscmd(id)'", "mail -s x y <<< '~!id'", "dc <<< '!id'"},
     .no = {"m4 config.m4", "echo hi | mail -s x y", "dc -e '2 3 + p'"}},
    {.key = "library loaded into programs",
     .when = loads_library,
     .yes = {"LD_PRELOAD=/tmp/x.so ls", "LD_AUDIT=./x.so ls", "LD_PRELOAD=$x ls"},
     .no = {"LD_PRELOAD= ls", "LD_PRELOAD=/usr/lib/x86_64-linux-gnu/libjemalloc.so.2 node x.js",
            "LD_PRELOAD=libtcmalloc.so.4 ./app", "LD_LIBRARY_PATH=./lib ./app"}},
    {.key = "library loaded into programs",
     .programs = "env sudo doas cross-env",
     .when = loads_library_by_word,
     .yes = {"env LD_PRELOAD=/tmp/x.so ls", "sudo LD_PRELOAD=./x.so ls"},
     .no = {"env LD_PRELOAD= ls", "env LD_PRELOAD=/usr/lib/libjemalloc.so.2 node x.js"}},
    {.key = "library loaded into programs",
     .programs = "export declare typeset readonly",
     .when = exports_library,
     .yes = {"export LD_PRELOAD=/tmp/x.so"},
     .no = {"export LD_PRELOAD=", "export LD_LIBRARY_PATH=/x"}},
    {.key = "system shutdown over the bus",
     .programs = "busctl dbus-send gdbus",
     .when = calls_shutdown,
     .yes = {"dbus-send --system --dest=org.freedesktop.login1 /org/freedesktop/login1 "
             "org.freedesktop.login1.Manager.Suspend boolean:true"},
     .no = {"busctl list", "dbus-send --session --dest=org.x /x org.x.Ping"}},
}));

}  // namespace

std::span<const Rule> run_rules() { return kRunRules; }

}  // namespace talaria::guard
