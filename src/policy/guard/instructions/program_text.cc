#include "policy/guard/instructions/program_text.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "policy/guard/instructions/program_tokens.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using TokenKind = ProgramToken::Kind;

// Whatever they belong to, they run what they are given.
constexpr std::string_view kRunners =
    "system popen Popen popen2 popen2e popen3 popen4 check_call check_output getoutput "
    "getstatusoutput shell_exec passthru proc_open execSync execFileSync spawnSync execv execvp "
    "execve execvpe execl execlp execle execlpe spawnl spawnlp spawnle spawnv spawnvp spawnve "
    "posix_spawn posix_spawnp create_subprocess_shell create_subprocess_exec run_command syscmd "
    "esyscmd system2 capture2 capture2e capture3 execa execaSync execaCommand execaCommandSync "
    "ProcessBuilder start_process ShellExecute WinExec pcntl_exec commandLine";

// These only in some places: "name", and what has to stand before it.
struct PlacedRunner {
  std::string_view names;
  std::string_view owners;
};
constexpr PlacedRunner kPlacedRunners[] = {
    {"run call", "subprocess sp Process process Bun Deno"},
    {"execute", "os"},
    {"spawn exec fork execFile", "child_process cp Process Kernel pty Bun pexpect os"},
    {"Command CommandContext", "exec Deno"},
    {"new", "Command"},
    {"exec", "getRuntime Runtime runtime rt shell"},
    {"Start", "Process"},
    {"cmd shell", "System"},
    {"Exec ForkExec StartProcess", "syscall os"},
    {"run local sudo", "c ctx conn connection Connection fabric invoke"},
};

// What makes the free names above run commands.
// A module whose functions are programs.
constexpr std::string_view kShellModule = "from sh import";

constexpr std::string_view kImports[] = {"child_process", "from subprocess import",
                                         "from pty import", "from os import", "pexpect"};

constexpr std::string_view kDeletesAll =
    "rmtree remove_tree rm_rf rm_r rmtree_p rimraf rimrafSync remove_dir_all RemoveAll "
    "deleteRecursively deltree removeSync emptyDirSync rmdir_p remove_entry_secure remove_dir "
    "remove_entry";
constexpr std::string_view kDeletes =
    "unlink remove rmSync rm rmdir unlinkSync rmdirSync delete "
    "Remove remove_file removeFileSync";
constexpr std::string_view kFileOwners = "os fs File FileUtils Dir file path pathlib Deno promises";

// Code that is made when it runs.
constexpr std::string_view kDynamicLanguages =
    "eval exec execfile __import__ loadstring instance_eval class_eval module_eval Function "
    "runInThisContext runInNewContext runInContext create_function dlopen";
constexpr std::string_view kHidden =
    "__builtins__ __subclasses__ __globals__ __getattribute__ ctypes marshal CDLL builtins";

constexpr int kMostBack = 16;              // tokens looked at before a name
constexpr std::size_t kMostBehind = 1024;  // and behind it

class ProgramReader {
 public:
  ProgramReader(std::string_view text, std::string_view program)
      : style_(program_style(program)),
        tokens_(read_program_tokens(text, style_)),
        lua_(program.starts_with("lua")) {
    read_aliases();
    found_.unknown = text.contains(kShellModule);
    imports_ =
        style_ == ProgramStyle::plain_calls ||
        std::ranges::any_of(kImports, [&](std::string_view one) { return text.contains(one); });
  }

  Instructions read() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const ProgramToken& token = tokens_[i];
      if (token.kind == TokenKind::command) {  // `…`, qx(…)
        found_.unknown = found_.unknown || token.text.starts_with('$');
        found_.commands.push_back(run_text({token.text}));
      } else if (token.kind == TokenKind::text && i > 0 && is(i - 1, "$") &&
                 style_ == ProgramStyle::braces) {  // Bun.$`…`
        found_.commands.push_back(run_text({token.text}));
      } else if (token.kind == TokenKind::text && is(i + 1, ".") &&
                 this->token(i + 2).text == "execute") {
        found_.commands.push_back(run_text({token.text}));  // Groovy's "…".execute()
      } else if (token.kind == TokenKind::unknown) {
        found_.unknown = true;
      } else if (token.kind == TokenKind::name) {
        read_name(i);
      }
    }
    return std::move(found_);
  }

 private:
  struct Argument {
    std::string text;
    bool in_list = false;
  };

  const ProgramToken& token(std::size_t at) const {
    static const ProgramToken none{TokenKind::mark, ""};
    return at < tokens_.size() ? tokens_[at] : none;
  }
  bool is(std::size_t at, std::string_view mark) const {
    return at < tokens_.size() && tokens_[at].kind == TokenKind::mark && tokens_[at].text == mark;
  }
  // What stands before the name and a dot: os, subprocess; "": nothing does.
  std::string_view owner(std::size_t at) const {
    if (at < 2) return "";
    const std::string& mark = tokens_[at - 1].text;
    if (tokens_[at - 1].kind != TokenKind::mark || !among(mark, ". :: ->")) return "";
    std::size_t before = at - 2;
    if (tokens_[before].kind == TokenKind::mark && tokens_[before].text == ")") {
      // require('os').x, Runtime.getRuntime().x
      for (int i = 0; i < kMostBack && before > 0 && !is(before, "("); ++i) --before;
      const bool loads =
          before > 0 && among(tokens_[before - 1].text, "require __import__ import_module");
      if (loads && token(before + 1).kind == TokenKind::text) return tokens_[before + 1].text;
      if (before > 0) --before;
    }
    return tokens_[before].text;
  }

  // import x as y, {x: y}: y is x from then on
  void read_aliases() {
    std::map<std::string, std::string> aliases;
    for (std::size_t i = 0; i + 2 < tokens_.size() && aliases.size() < 256; ++i) {
      const bool renames = tokens_[i].kind == TokenKind::name &&
                           tokens_[i + 2].kind == TokenKind::name &&
                           (tokens_[i + 1].text == "as" || is(i + 1, ":"));
      const bool counts =
          among(tokens_[i].text, kRunners) || among(tokens_[i].text, kDeletesAll) ||
          among(tokens_[i].text, "subprocess os shutil child_process exec spawn run call");
      if (renames && counts) aliases[tokens_[i + 2].text] = tokens_[i].text;
    }
    for (ProgramToken& one : tokens_) {
      if (one.kind != TokenKind::name || aliases.empty()) continue;
      if (const auto found = aliases.find(one.text); found != aliases.end())
        one.text = found->second;
    }
  }

  // It is called: a bracket follows, or, where they may be left out, a text.
  bool is_called(std::size_t at) const {
    if (at > 0 &&
        among(tokens_[at - 1].text, "def function fn func sub class void int interface")) {
      return false;
    }
    if (is(at + 1, "(")) return true;
    if (at + 1 >= tokens_.size() || token(at + 1).line != tokens_[at].line) return false;
    const bool value = token(at + 1).kind != TokenKind::mark || is(at + 1, "$") || is(at + 1, "@");
    return value && (style_ == ProgramStyle::plain_calls || tokens_[at].text == "commandLine");
  }

  bool is_runner(std::size_t at) const {
    const std::string& name = tokens_[at].text;
    if (among(name, kRunners)) return true;
    const std::string_view of = owner(at);
    if (name == "sh" && of.empty() && style_ == ProgramStyle::plain_calls) return true;
    for (const PlacedRunner& one : kPlacedRunners) {
      if (!among(name, one.names)) continue;
      if (among(of, one.owners)) return true;
      const bool free_name =
          of.empty() && imports_ && !among(name, "execute new Start cmd shell local sudo");
      if (free_name && (name != "call" || style_ != ProgramStyle::plain_calls)) return true;
    }
    return false;
  }

  // sys.executable: what runs it
  std::string_view own_program(std::size_t at) const {
    if (tokens_[at].text == "executable" && owner(at) == "sys") return "python3";
    return tokens_[at].text == "execPath" && owner(at) == "process" ? "node" : "";
  }

  // The values between the brackets; what is no text is an unknown piece.
  std::vector<Argument> arguments(std::size_t at) const {
    std::vector<Argument> all;
    const bool brackets = is(at, "(");
    if (brackets) ++at;
    int depth = 0;
    int lists = 0;
    bool fresh = true;  // a new argument begins
    const std::size_t line = token(at).line;
    const std::size_t end = std::min(tokens_.size(), at + kMostBehind);
    for (; at < end && all.size() < 64; ++at) {
      const ProgramToken& one = tokens_[at];
      const bool mark = one.kind == TokenKind::mark;
      if (mark && among(one.text, ") ] }")) {
        if (depth == 0) break;
        --depth;
        if (one.text == "]" && lists > 0) --lists;
      } else if (mark && among(one.text, "( [ {")) {
        if (one.text == "{" && fresh) {  // options, and among them perhaps its arguments
          const std::size_t close = behind_brackets(at);
          for (std::size_t i = at; i + 1 < close; ++i) {
            if (among(tokens_[i].text, "args argv") && is(i + 1, ":")) add_texts(i + 2, close, all);
          }
          at = close;
          fresh = false;
          continue;
        }
        if (!fresh && !all.empty()) {  // a call or an element: what it is, is known only then
          all.back().text += kUnknownPiece;
          at = behind_brackets(at);
          continue;
        }
        ++depth;
        if (one.text == "[") ++lists;
      } else if (mark && one.text == ",") {
        fresh = true;
      } else if (!brackets && depth == 0 && (one.text == ";" || one.line != line)) {
        break;
      } else if (mark && !among(one.text, "-")) {
        continue;
      } else {
        const bool list = one.kind == TokenKind::name && (is(at + 1, "(") || is(at + 1, "{")) &&
                          among(one.text, "c list tuple Array array vector string String");
        if (list) {  // c("a", "b"), []string{"a", "b"}
          ++at;
          ++depth;
          fresh = true;
          continue;
        }
        if (one.kind == TokenKind::name && fresh && is(at + 1, "=") &&
            among(one.text, "args cmd")) {
          ++at;
          continue;
        }
        if (one.kind == TokenKind::name && fresh && is(at + 1, "=")) {  // shell=True
          while (at + 1 < end && !is(at + 1, ",") && !is(at + 1, ")")) ++at;
          continue;
        }
        if (fresh) all.push_back({"", lists > 0});
        fresh = false;
        const bool literal = one.kind == TokenKind::text || one.kind == TokenKind::number || mark;
        if (all.empty()) continue;
        if (const std::string_view own = own_program(at); !own.empty()) {
          all.back().text = own;
        } else {
          all.back().text += literal ? one.text : std::string(1, kUnknownPiece);
        }
      }
    }
    return all;
  }

  // The texts from `at` up to `end`, as arguments of their own.
  void add_texts(std::size_t at, std::size_t end, std::vector<Argument>& all) const {
    for (; at < end && !is(at, "]"); ++at) {
      if (tokens_[at].kind == TokenKind::text) all.push_back({tokens_[at].text, true});
    }
  }

  std::size_t behind_brackets(std::size_t at) const {
    int depth = 0;
    const std::size_t end = std::min(tokens_.size(), at + kMostBehind);
    for (; at < end; ++at) {
      if (tokens_[at].kind != TokenKind::mark) continue;
      if (among(tokens_[at].text, "( [ {")) ++depth;
      if (among(tokens_[at].text, ") ] }") && --depth == 0) return at;
    }
    return at;
  }

  // Command::new("rm").arg("-rf")
  void add_chained(std::size_t at, std::vector<SeenWord>& words) const {
    const std::size_t end = std::min(tokens_.size(), at + kMostBehind);
    for (; at < end && !is(at, ";") && words.size() < 64; ++at) {
      if (!among(tokens_[at].text, "arg args addArgument") || !is(at + 1, "(")) continue;
      for (Argument& one : arguments(at + 1)) words.push_back({std::move(one.text)});
    }
  }

  void add_run(std::size_t at) {
    std::vector<Argument> given = arguments(at + 1);
    if (given.empty()) return;
    if (token(at).text == "CommandContext") given.erase(given.begin());
    if (given.size() == 1 && !given.front().in_list && token(at).text != "new") {
      found_.commands.push_back(run_text({std::move(given.front().text)}));
      return;
    }
    InnerCommand run;
    for (Argument& one : given) run.words.push_back({std::move(one.text)});
    if (token(at).text == "new") add_chained(at, run.words);
    found_.commands.push_back(std::move(run));
  }

  void add_words(std::vector<SeenWord> words, std::size_t at) {
    for (Argument& one : arguments(at + 1)) words.push_back({std::move(one.text)});
    found_.commands.push_back({.words = std::move(words)});
  }

  // open(F, "rm x |"), open("/etc/passwd", "w"), writeFileSync("/etc/passwd", …)
  void add_open(std::size_t at) {
    const std::vector<Argument> given = arguments(at + 1);
    for (const Argument& one : given) {
      const std::string_view text = trim(one.text);
      if (text.size() > 1 && (text.front() == '|' || text.back() == '|')) {
        std::string command(text);
        std::erase(command, '|');
        found_.commands.push_back(run_text({std::move(command)}));
      }
    }
    const auto pipes =
        std::ranges::find_if(given, [](const Argument& one) { return among(one.text, "|- -|"); });
    if (pipes != given.end()) {  // open(F, "|-", "command")
      found_.commands.push_back(run_text({given.back().text}));
    }
    if (given.empty()) return;
    const bool opens = among(tokens_[at].text, "open fopen");
    const bool writes = !opens || (given.size() > 1 && given.back().text.size() < 4 &&
                                   given.back().text.find_first_of("wa+") != std::string::npos);
    if (writes) found_.commands.push_back({.words = {{"tee"}, {given.front().text}}});
  }

  // Julia's rm(x, recursive=true), rm('-rf', x) of shelljs, unlink glob('x/*')
  bool calls_rm(std::size_t at) const {
    const std::string& name = tokens_[at].text;
    const bool plain = style_ == ProgramStyle::plain_calls;
    if (name == "rm")
      return owner(at) == "shelljs" || (plain && is(at + 1, "(") && owner(at).empty());
    return plain && name == "unlink" &&
           (token(at + 1).text == "glob" || token(at + 2).text == "glob");
  }

  void read_name(std::size_t at) {
    const std::string& name = tokens_[at].text;
    const std::string_view of = owner(at);
    constexpr std::string_view kModules = "os subprocess shutil sys builtins child_process pty";
    if (among(name, kHidden) || (name == "__dict__" && among(of, kModules))) found_.unknown = true;
    const bool plain = style_ == ProgramStyle::plain_calls;
    // exec {'rm'} …, $name(…), require('child_process')[name]
    if (plain && among(name, "exec system") && is(at + 1, "{")) found_.unknown = true;
    if (plain && at > 0 && is(at - 1, "$") && is(at + 1, "(")) found_.unknown = true;
    if (name == "require" && among(token(at + 2).text, "child_process node:child_process") &&
        is(at + 4, "[")) {
      found_.unknown = true;
    }
    if (!is_called(at)) {  // s = os.system
      if (among(of, kModules) && is_runner(at)) found_.unknown = true;
      return;
    }
    if (is_runner(at)) return add_run(at);
    const bool global = of.empty() || among(of, "builtins window globalThis global self vm Kernel");
    if (global && among(name, kDynamicLanguages) && !is(at + 2, ")")) {
      found_.unknown = true;
    } else if (name == "getattr" &&
               among(token(at + 2).text, "os subprocess shutil sys builtins")) {
      found_.unknown = true;
    } else if (among(name, "send public_send __send__ method") &&
               among(of, "Kernel Process IO File FileUtils Object self")) {
      found_.unknown = true;
    } else if (among(of, "runpy") || (of == "sh" && style_ == ProgramStyle::python)) {
      found_.unknown = true;
    } else if (name == "truncate" && of == "os") {
      add_words({{"truncate"}, {"-s"}, {"0"}}, at);
    } else if (among(name, "require import") && of.empty() && is(at + 1, "(") &&
               (token(at + 2).kind != TokenKind::text || is(at + 3, "+"))) {
      found_.unknown = true;
    } else if (among(name, kDeletesAll) || of == "rimraf" || calls_rm(at)) {
      add_words({{"rm"}, {"-rf"}}, at);
    } else if (of.empty() && lua_ && among(name, "load dofile loadfile")) {
      found_.unknown = true;
    } else if (among(name, "rename renames replace move renameSync") &&
               (among(of, kFileOwners) || of == "shutil")) {
      add_words({{"mv"}}, at);
    } else if (among(name, kDeletes) &&
               (among(of, kFileOwners) ||
                (style_ == ProgramStyle::plain_calls && name == "unlink"))) {
      add_words({{"rm"}}, at);
      const bool recursive = std::any_of(
          tokens_.begin() + static_cast<std::ptrdiff_t>(at),
          tokens_.begin() + static_cast<std::ptrdiff_t>(std::min(at + 16, tokens_.size())),
          [](const ProgramToken& one) { return one.text == "recursive"; });
      if (recursive) add_words({{"rm"}, {"-rf"}}, at);
    } else if (among(name,
                     "open fopen writeFileSync writeFile WriteFile file_put_contents "
                     "appendFileSync appendFile")) {
      add_open(at);
    } else if (name == "kill") {
      const std::vector<Argument> given = arguments(at + 1);
      if (std::ranges::any_of(given, [](const Argument& one) { return one.text == "-1"; })) {
        found_.commands.push_back({.words = {{"kill"}, {"-9"}, {"-1"}}});
      }
    }
  }

  ProgramStyle style_;
  std::vector<ProgramToken> tokens_;
  bool lua_;
  bool imports_ = false;
  Instructions found_;
};

}  // namespace

Instructions read_program(std::string_view text, std::string_view program) {
  return ProgramReader(text, program).read();
}

}  // namespace talaria::guard
