// Our shells against plain `bash -c`, byte for byte: output, exit status, and what is left in the
// working directory. Every command runs four ways, through bash itself, through a shell started for
// it, through a warm one, and through one that was started from another state; the four must agree.
// docs/internals/shell.md lists what cannot.
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "os/file.h"
#include "os/spawn.h"
#include "runner/shell/shell_launch.h"
#include "shell/script.h"
#include "testing/temporary_directory.h"

namespace talaria::runner {
namespace {

namespace fs = std::filesystem;

struct Observed {
  std::string output;
  int status = -1;  // as waitpid gives it
  std::map<std::string, std::string> files;
  bool operator==(const Observed&) const = default;
};

void PrintTo(const Observed& seen, std::ostream* out) {
  *out << "status " << seen.status << ", output " << testing::PrintToString(seen.output)
       << ", files " << testing::PrintToString(seen.files);
}

class BashTable : public testing::Test {
 protected:
  BashTable() {
    directory_ = root_ + "/work";
    host_ = std::make_unique<ShellHost>(probe_shell_host(nursery(), root_ + "/prelude").value());
  }
  static std::shared_ptr<Nursery> nursery() {
    static const auto shared = std::make_shared<Nursery>(Nursery::start().value());
    return shared;
  }

  shell::ShellState fresh_state() const {
    if (extra_) return {.variables = *extra_, .cwd = directory_};
    return shell::ShellState{.variables = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                           {"HOME", root_},
                                           {"LANG", "C.UTF-8"},
                                           {"SHLVL", "1"},
                                           {"INHERITED", "from the caller"},
                                           {"MULTI", "two\nlines"}},
                             .cwd = directory_};
  }

  void clean_directory() const {
    fs::remove_all(directory_);
    fs::create_directory(directory_);
  }

  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(directory_)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path());
      found[entry.path().filename()] = std::string(std::istreambuf_iterator<char>(file), {});
    }
    return found;
  }

  static std::string drain(int fd) {
    std::string text;
    std::array<char, 65536> chunk;
    for (;;) {
      pollfd event{fd, POLLIN, 0};
      ::poll(&event, 1, 20000);
      const ssize_t size = ::read(fd, chunk.data(), chunk.size());
      if (size <= 0) return text;
      text.append(chunk.data(), static_cast<std::size_t>(size));
    }
  }

  Observed plain(const std::string& command) {
    clean_directory();
    os::Pipe output = os::make_pipe().value();
    const shell::ShellState state = fresh_state();
    std::vector<std::string> entries;
    for (const auto& [name, value] : state.variables) entries.push_back(name + "=" + value);
    entries.push_back("PWD=" + state.cwd);
    os::SpawnSpec spec{.path = host_->shell_path.c_str(),
                       .argv = {"bash", "-c", command.c_str()},
                       .fds = {-1, output.writer.get(), output.writer.get()},
                       .cwd = state.cwd.c_str()};
    for (const std::string& entry : entries) spec.env.push_back(entry.c_str());
    const pid_t pid = os::spawn_process(spec).value();
    output.writer.reset();
    Observed seen{.output = drain(output.reader.get())};
    ::waitpid(pid, &seen.status, 0);
    seen.files = files();
    return seen;
  }

  // Waits for the next report of one kind, and for the end of output meanwhile.
  static FromReaper await(Shell& shell, ReaperReport kind) {
    for (;;) {
      const auto report = next_report(shell);
      if (!report) return {};
      if (report->has_value() && (*report)->report == kind) return **report;
      if (report->has_value() && kind == ReaperReport::empty && (*report)->is_empty) return {};
      if (report->has_value()) continue;
      pollfd event{shell.channel.get(), POLLIN, 0};
      ::poll(&event, 1, 20000);
    }
  }

  // What a spare shell starts from.
  shell::ShellState common_state() const {
    shell::ShellState state = fresh_state();
    erase_if(state.variables,
             [](const auto& entry) { return !shell::is_fixed_at_start(entry.first); });
    state.variables["LANG"] = "C";
    state.variables["ONLY_THERE"] = "x";
    state.functions["from_login"] = {"from_login () \n{ \n    echo login\n}\n"};
    state.aliases["ll"] = "ls -l";
    state.options["nullglob"] = true;
    state.cwd = "/";
    return state;
  }

  // Once its exec has finished.
  static bool can_take_soon(Shell& shell, const shell::ShellState& to, const std::string& command) {
    for (int look = 0; look < 1000; ++look) {
      if (can_take(shell, to, command)) return true;
      ::poll(nullptr, 0, 10);
    }
    return false;
  }

  enum class Kind { cold, warm, spare };

  Observed ours(const std::string& command, Kind kind) {
    clean_directory();
    const shell::ShellState to = fresh_state();
    const auto start = prepare_state(*host_, kind == Kind::spare ? common_state() : to).value();
    LaunchOptions options;
    if (kind == Kind::cold) options.command = command;
    Shell shell = launch_shell(*host_, start, options).value();
    await(shell, ReaperReport::started);
    if (kind != Kind::cold) EXPECT_TRUE(can_take_soon(shell, to, command));
    EXPECT_TRUE(dispatch(*host_, shell, to, command, true));
    Observed seen{.output = drain(shell.output.get())};
    seen.status = await(shell, ReaperReport::exited).status;
    seen.files = files();
    last_state_ = read_dump(*host_, shell);
    (void)order_kill(shell, 0);
    return seen;
  }

  const test::TemporaryDirectory temporary_;
  const std::string root_ = temporary_.path();
  std::string directory_;
  std::unique_ptr<ShellHost> host_;
  std::optional<shell::NameMap> extra_;
  Result<shell::ShellState> last_state_ = fail(ErrorKind::not_found, "nothing ran");
};

struct Case {
  const char* name;
  const char* command;
  bool keeps_state = true;  // a dump must be there afterwards
};

constexpr Case kSame[] = {
    {"nothing", ""},
    {"blanks", "   \n\t "},
    {"a comment", "# nothing here"},
    {"true", "true"},
    {"false", "false"},
    {"no newline", "printf 'no newline'"},
    {"trailing newlines", "printf 'x\\n\\n'"},
    {"stderr is merged in order", "echo out; echo err >&2; echo out again"},
    {"exit code", "echo before; exit 3; echo after"},
    {"exit in a function", "f() { exit 7; }; f; echo no"},
    {"exit in a subshell", "(exit 4); echo $?"},
    {"exit of a failed pipeline", "set -o pipefail; false | true; exit"},
    {"exec a program", "exec echo replaced", false},
    {"exec a missing program", "exec /no/such/program; echo no", false},
    {"exec redirection", "exec >log; echo into the file; exec 2>&1; ls /nonexistent"},
    {"return outside a function", "return 3; echo still here"},
    {"return in a function", "f() { return 5; }; f; echo $?"},
    {"syntax error", "if then"},
    {"syntax error on a later line", "echo one\necho two\n)\necho three"},
    {"unterminated quote", "echo 'abc"},
    {"unterminated here-document", "cat <<END\nbody"},
    {"unexpected end", "for i in 1 2; do echo $i"},
    {"set -e", "set -e; echo a; false; echo b"},
    {"set -e in a pipeline", "set -eo pipefail; echo a | false; echo b"},
    {"set -u", "set -u; echo a; echo $nothing; echo b"},
    {"set -x", "set -x; echo traced; for i in 1 2; do : $i; done"},
    {"set -x with a PS4", "PS4='>> '; set -x; echo a; (echo b)"},
    {"set -x and exit", "set -x; exit 9"},
    {"set -n", "echo a; set -n; echo b", false},
    {"set -a", "set -a; NEW=1; env | grep ^NEW"},
    {"set -f", "set -f; echo *"},
    {"set -C", "set -C; echo a >f; echo b >f; cat f"},
    {"set -o posix", "set -o posix; echo $POSIXLY_CORRECT; set -o | grep posix"},
    {"EXIT trap", "trap 'echo bye $?' EXIT; echo hello; (exit 3)"},
    {"EXIT trap and exit", "trap 'echo bye $?' EXIT; exit 6"},
    {"EXIT trap that exits", "trap 'echo bye; exit 8' EXIT; exit 6"},
    {"EXIT trap by number", "trap 'echo bye' 0; true"},
    {"EXIT trap cleared", "trap 'echo bye' EXIT; trap - EXIT; echo end"},
    {"EXIT trap ignored", "trap '' EXIT; echo end"},
    {"EXIT trap with quotes", "trap 'echo \"it'\\''s over\"' EXIT"},
    {"EXIT trap under set -x", "set -x; trap 'echo bye' EXIT; echo hello"},
    {"EXIT trap under set -eu", "set -eu; trap 'echo bye $?' EXIT; false"},
    {"EXIT trap in a subshell", "(trap 'echo sub' EXIT; echo in); echo out"},
    {"trap -p", "trap -p; trap; echo none"},
    {"trap -p of a trap", "trap 'echo bye' EXIT; trap 'echo t' TERM; trap -p; trap -p EXIT"},
    {"ERR trap", "trap 'echo failed $LINENO' ERR; false; true; (exit 2)"},
    {"DEBUG trap", "trap 'echo \"<$BASH_COMMAND>\"' DEBUG; echo a; true"},
    {"DEBUG and EXIT traps", "trap 'echo d' DEBUG; trap 'echo bye' EXIT; echo a"},
    {"TERM trap", "trap 'echo caught' TERM; kill -TERM $$; echo after"},
    {"a bad trap", "trap 'x' NOSUCHSIGNAL 2>/dev/null; echo $?"},
    {"functions named like builtins",
     "printf() { echo fake; }; exit() { echo fake; }; cd() { echo fake; }; eval() { echo fake; }; "
     "set() { echo fake; }; unset() { echo fake; }; export() { echo fake; }; pwd() { echo fake; }; "
     "declare() { echo fake; }; alias() { echo fake; }; umask() { echo fake; }; printf x; cd /; "
     "false"},
    {"a function named builtin", "builtin() { echo fake; }; builtin cd /; false"},
    {"a function named trap", "trap() { echo fake; }; trap x EXIT; false"},
    {"enable -n", "enable -n printf; printf '%s\\n' external; enable -n echo; echo external"},
    {"readonly variables", "readonly A=1; A=2; echo $A $?"},
    {"readonly export", "declare -rx R=keep; R=x; env | grep ^R="},
    {"here-document", "cat <<E\nvalue $((1+1)) 'quoted' \\$x\nE\n"},
    {"here-document without expansion", "cat <<'E'\n$x `y` \"z\" 'q'\nE"},
    {"here-document without newline at the end", "cat <<E\nlast\nE"},
    {"two here-documents", "cat <<A; cat <<B\na\nA\nb\nB"},
    {"here-string", "cat <<<'here string'"},
    {"positional parameters", "echo $0 $# $1 $*; set -- a b; echo $# $2"},
    {"dollar zero", "echo $0; echo \"${BASH_SOURCE[0]}\" \"${FUNCNAME[0]}\" ${#BASH_SOURCE[@]}"},
    {"dollar minus", "echo $-"},
    {"dollar dollar", "[ $$ = $BASHPID ] && echo same; (  [ $$ = $BASHPID ] || echo differs )"},
    {"LINENO", "echo $LINENO\necho $LINENO\nf() { echo $LINENO; }\nf"},
    {"SHLVL", "echo $SHLVL; bash -c 'echo $SHLVL'; true"},
    {"PPID is alive", "kill -0 $PPID && echo alive"},
    {"underscore", "echo $_; true x y; echo $_"},
    {"SECONDS", "echo $SECONDS"},
    {"PIPESTATUS", "true | false | true; echo ${PIPESTATUS[@]}"},
    {"OPTIND and friends", "echo $OPTIND $OPTERR; getopts a x -a; echo $x $OPTIND"},
    {"BASH_EXECUTION_STRING", "echo \"$BASH_EXECUTION_STRING\""},
    {"BASH_ENV is not ours", "echo \"[${BASH_ENV-unset}]\"; env | grep -c BASH_ENV"},
    {"OLDPWD",
     "echo \"[${OLDPWD-unset}]\"; cd /; echo $OLDPWD | grep -c work; cd - | grep -c work"},
    {"the environment", "env | grep -v '^_=' | sort"},
    {"exported names", "export -p"},
    {"function names", "declare -F; declare -f"},
    {"aliases", "alias; alias ll='echo x'; alias ll; ll; shopt -s expand_aliases\nll"},
    {"options", "set -o; shopt"},
    {"option variables", "echo $SHELLOPTS; echo $BASHOPTS"},
    {"open descriptors", "ls -l /proc/self/fd | awk '{print $9}'"},
    {"descriptors of the shell", "ls /proc/$$/fd; true"},
    {"command line", "tr '\\0' '|' </proc/$$/cmdline | sed 's/|*$//'"},
    {"hash table", "hash; ls >/dev/null; hash | grep -c ls"},
    {"job table", "jobs; sleep 0.01 & jobs | sed 's/ *$//'; wait; echo $?"},
    {"job control", "set -m; sleep 0.01 & fg >/dev/null; echo $?"},
    {"wait for a child", "(exit 5) & wait $!; echo $?"},
    {"kill by KILL", "echo before; kill -KILL $$; echo no", false},
    {"kill by TERM", "echo before; kill -TERM $$; echo no"},
    {"kill by INT", "echo before; kill -INT $$; sleep 0.01; echo no"},
    {"kill by HUP", "kill -HUP $$; echo no"},
    {"kill by USR1", "kill -USR1 $$; echo no"},
    {"kill by PIPE", "kill -PIPE $$; echo no"},
    {"SIGPIPE in a pipeline", "yes | head -n 2; echo ${PIPESTATUS[0]}"},
    {"ulimit -f 0", "ulimit -f 0; echo x >f; echo $?", false},
    {"ulimit -n", "ulimit -n 8; echo $(ulimit -n); ls >/dev/null; echo $?"},
    {"ulimit -t", "ulimit -t 5; ulimit -t"},
    {"all limits", "ulimit -a"},
    {"signal dispositions", "grep -E '^Sig(Blk|Ign)' /proc/self/status"},
    {"umask", "umask; umask 077; echo x >f; stat -c %a f"},
    {"background child outlives", "(sleep 0.05; echo late >late) & echo now; wait"},
    {"process substitution", "cat <(echo one) <(echo two); echo x > >(cat); wait"},
    {"coprocess",
     "coproc cat; echo hi >&${COPROC[1]}; read -r x <&${COPROC[0]}; echo $x; kill $COPROC_PID"},
    {"arrays", "a=(1 2 3); declare -A m=([k]=v); echo ${a[@]} ${m[k]}"},
    {"arithmetic", "echo $((1/0)); echo after"},
    {"globs", "touch a.x b.x; echo *.x; echo *.none"},
    {"extglob", "shopt -s extglob; echo @(a|b)"},
    {"aliases set by one line are used by the next",
     "shopt -s expand_aliases; alias q='echo aliased'\nq"},
    {"read from stdin", "read -r x; echo \"[$x] $?\"; cat"},
    {"stdin is not a terminal", "[ -t 0 ] || echo no; tty"},
    {"no controlling terminal", "echo x >/dev/tty; echo $?"},
    {"session leader", "ps -o sid= -p $$ | tr -d ' ' | grep -qx $$ && echo leader"},
    {"not found", "nosuchcommand_x; echo $?"},
    {"not executable", "touch f; ./f; echo $?"},
    {"is a directory", "/; echo $?"},
    {"command substitution", "x=$(echo a; exit 3); echo $? $x; echo `echo nested $(echo deep)`"},
    {"unicode", "echo 'größe ☃'; x=☃; echo ${#x}"},
    {"bytes", "printf '\\377\\376ok\\0x\\r\\n'"},
    {"carriage returns", "echo a\r\necho b\r"},
    {"backslash at the end", "echo a\\"},
    {"a long line",
     "echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
    {"deleted directory", "mkdir d; cd d; rmdir ../d; pwd; cd ..; pwd | grep -c work"},
    {"cd into a symlink", "mkdir d; ln -s d l; cd l; pwd | grep -c 'l$'; pwd -P | grep -c 'd$'"},
    {"printing variables",
     "set | grep -vE '^(BASHPID|PPID|RANDOM|SRANDOM|EPOCH|_=|BASH_ARG|PIPESTATUS)' | grep -v "
     "'\\$\\$'"},
    {"history is off", "history; echo $HISTFILE; set -o | grep history"},
    {"times and caller", "caller; f() { caller; }; f"},
    {"type", "type cd printf builtin"},
    {"compgen", "compgen -A function; compgen -v | grep -ci talaria"},
    {"login-like variables", "echo $BASH; echo ${BASH_VERSINFO[0]} $MACHTYPE $IFS"},
};

TEST_F(BashTable, ColdAndWarmShellsBehaveLikePlainBash) {
  ASSERT_TRUE(host_->warm) << "this machine does not let us write into a waiting shell";
  for (const Case& c : kSame) {
    SCOPED_TRACE(c.name);
    const Observed expected = plain(c.command);
    EXPECT_EQ(ours(c.command, Kind::cold), expected) << "a shell started for the command";
    EXPECT_EQ(last_state_.has_value(), c.keeps_state) << last_state_.error().message();
    EXPECT_EQ(ours(c.command, Kind::warm), expected) << "a warm shell";
    EXPECT_EQ(last_state_.has_value(), c.keeps_state) << last_state_.error().message();
    EXPECT_EQ(ours(c.command, Kind::spare), expected) << "a spare shell";
    EXPECT_EQ(last_state_.has_value(), c.keeps_state) << last_state_.error().message();
  }
  EXPECT_GE(std::size(kSame), 60u);
}

TEST_F(BashTable, LongCommandsRun) {
  for (const std::size_t size : {20'000u, 130'000u, 200'000u, 10'000'000u}) {
    SCOPED_TRACE(size);
    std::string command = "x=1; : '" + std::string(size, 'a') + "'; echo done $x; cd /; exit 3";
    const Observed seen = ours(command, Kind::cold);
    EXPECT_EQ(seen.output, "done 1\n");
    EXPECT_EQ(WEXITSTATUS(seen.status), 3);
    ASSERT_TRUE(last_state_) << last_state_.error().message();
    EXPECT_EQ(last_state_->cwd, "/");
  }
}

// A bash at the first level that sees SSH_CLIENT reads ~/.bashrc and not BASH_ENV: over ssh,
// commands once ran without their session, in the prelude's directory.
TEST_F(BashTable, AnSshEnvironmentDoesNotKeepTheShellFromItsPrelude) {
  extra_ = shell::NameMap{{"SSH_CLIENT", "127.0.0.1 1 2"}, {"PATH", "/usr/bin:/bin"}};
  const Observed seen = ours("echo $SHLVL; pwd", Kind::cold);
  EXPECT_EQ(seen.output, "1\n" + directory_ + "\n");
  EXPECT_TRUE(last_state_);
}

// bash prints some functions in a way it cannot read back; one such must not take the prelude, and
// with it the session, away.
TEST_F(BashTable, AFunctionThatCannotBeReadBackHarmsNothingElse) {
  shell::ShellState state = fresh_state();
  state.functions["bad"] = {"bad () \n{ \n    if then\n}\n"};
  state.functions["good"] = {"good () \n{ \n    echo good\n}\n", true};
  clean_directory();
  const auto start = prepare_state(*host_, state).value();
  Shell shell = launch_shell(*host_, start, {.command = "good; bash -c good; pwd; bad"}).value();
  ASSERT_TRUE(dispatch(*host_, shell, state, "good; bash -c good; pwd; bad", true));
  EXPECT_EQ(drain(shell.output.get()),
            "good\ngood\n" + directory_ + "\nbash: line 1: bad: command not found\n");
  await(shell, ReaperReport::empty);
}

// A link on the way may lead elsewhere by the time that the shell goes there.
TEST_F(BashTable, ACommandRunsOnlyInTheDirectoryItWasJudgedIn) {
  const std::string other = root_ + "/other";
  std::filesystem::create_directory(other);
  for (const bool same : {true, false}) {
    clean_directory();
    const auto start = prepare_state(*host_, fresh_state()).value();
    Shell shell = launch_shell(*host_, start, {.command = "echo ran"}).value();
    const auto judged = os::open_file(same ? directory_ : other, O_PATH | O_DIRECTORY).value();
    ASSERT_TRUE(dispatch(*host_, shell, start->state, "echo ran", true, judged.get()));
    EXPECT_EQ(drain(shell.output.get()),
              same ? "ran\n"
                   : "bash: " + directory_ +
                         ": the directory has changed since the command was judged\n");
    EXPECT_EQ(WEXITSTATUS(await(shell, ReaperReport::exited).status), same ? 0 : 126);
    (void)order_kill(shell, 0);
  }
}

// A command written into a shell whose exec was not finished once made the kernel lose the shell's
// environment, and with it BASH_ENV: the command ran, but without its session.
TEST_F(BashTable, AShellDispatchedAtOnceStillReadsItsPrelude) {
  for (int i = 0; i < 100; ++i) {
    ours("type cd printf", Kind::warm);
    ASSERT_TRUE(last_state_) << i << " " << last_state_.error().message();
  }
}

}  // namespace
}  // namespace talaria::runner
