#include "policy/guard/sequences.h"

#include <algorithm>
#include <map>
#include <set>

#include "policy/guard/copies.h"
#include "policy/guard/rules/arguments.h"
#include "policy/guard/rules/destinations.h"
#include "policy/guard/rules/sending.h"
#include "policy/guard/rules/verbs.h"
#include "policy/guard/run/inner.h"
#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

// +x, u=rwx, 755
bool adds_execution(std::string_view mode) {
  const std::size_t sign = mode.find_first_of("+=");
  if (sign != std::string_view::npos) return mode.substr(sign).contains('x');
  const bool number = mode.size() >= 3 && mode.find_first_not_of("01234567") == mode.npos;
  return number && mode.substr(mode.size() - 3).find_first_of("1357") != mode.npos;
}

// The files it makes executable, by their last names.
void add_executables(const SeenCommand& command, std::set<std::string>& files) {
  bool executes = false;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (word.starts_with('-') && !word.contains('x')) continue;
    if (!executes && adds_execution(word)) {
      executes = true;
    } else if (executes && !word.starts_with('-')) {
      files.insert(std::string(base_name(word)));
    }
  }
}

constexpr std::string_view kFetchers = "curl wget aria2c fetch axel lwp-download";

// x-1.2 of x-1.2.tar.gz; empty: it is no archive
std::string_view archive_stem(std::string_view name) {
  for (const std::string_view ending : {".tar.gz", ".tgz", ".zip", ".tar.xz", ".txz", ".tar.bz2",
                                        ".tbz", ".tar.zst", ".tar", ".7z", ".rar", ".jar"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return "";
}

// The files that a text downloads, by their last names, wherever they are moved to.
class Downloads {
 public:
  void note(const SeenCommand& command, const Arguments& arguments) {
    if (among(command.program, kFetchers)) {
      if (!talks_to_this_machine(arguments)) add_fetched(command);
    } else if (among(command.program, "gh glab") && arguments.begins("release|run download")) {
      for (const SeenWord& word : option_values(command, 'p', "pattern")) add(word.text);
      for (const SeenWord& word : option_values(command, 'O', "output")) add(word.text);
      unnamed_ = true;
    } else if (among(command.program, "gunzip gzip unxz xz bunzip2 bzip2 unzstd zstd")) {
      for (const SeenWord* word : arguments.operands()) {
        if (is_one(word->text)) add(word->text.substr(0, word->text.find_last_of('.')));
      }
    } else if (unnamed_ && command.program == "chmod") {
      add_executables(command, files_);
    } else if (among(command.program, "mv cp install ln")) {
      for (const SeenWord& word : sources(arguments)) {
        if (is_one(word.text)) add(arguments.operands().back()->text);
      }
    } else if (among(command.program, "scp rsync sftp gsutil aws rclone")) {
      bool remote = false;
      for (const SeenWord* word : arguments.operands()) {
        remote = remote || is_remote(word->text) || word->text.contains("://");
        if (remote) add(word->text);  // and what it is called here
      }
    }
    const bool compiles = among(command.program, "gcc g++ cc c++ clang clang++ tcc rustc");
    if (compiles && std::ranges::any_of(command.input.producers, [](const std::string& program) {
          return among(program, "curl wget fetch aria2c http https");
        })) {
      for (const SeenWord& word : option_values(command, 'o', "")) add(word.text);
      add("a.out");
    }
  }

  // Unpacks one: what is in it was downloaded, too.
  bool are_unpacked_by(const SeenCommand& command, const Arguments& arguments) const {
    if ((files_.empty() && !unnamed_) ||
        !among(command.program, "tar gtar bsdtar unzip 7z 7za 7zz unrar unar jar cpio")) {
      return false;
    }
    const auto fetches = [](const std::string& program) { return among(program, kFetchers); };
    return std::ranges::any_of(command.input.producers, fetches) || reads_one(command) ||
           arguments.any_operand([&](const SeenWord& word) {
             return is_one(word.text) ||
                    ((unnamed_ || word.pattern) && !archive_stem(word.text).empty());
           });
  }

  // What the directories in archives are usually called.
  const std::set<std::string>& stems() const { return stems_; }

  // Starts one, or has an interpreter or a package manager do so.
  bool are_run_by(const SeenCommand& command, const Arguments& arguments) const {
    if ((files_.empty() && !any_) || command.words.empty()) return false;
    if (command.word(0).contains('/') && is_one(command.word(0))) return true;
    if (is_shell(command.program) || is_interpreter(command.program) ||
        among(command.program, "source . java deno bun tsx")) {
      if (command.word(1) == "-m" && among(command.word(2), "json.tool gzip base64")) return false;
      return is_one(arguments.verb(0)) || is_one(arguments.verb(1)) || reads_one(command);
    }
    return among(command.program,
                 "dpkg rpm installer apt apt-get dnf yum pip pip3 npm gem insmod "
                 "kubectl psql mysql sqlite3 crontab at") &&
           (arguments.any_operand([&](const SeenWord& word) { return is_one(word.text); }) ||
            reads_one(command));
  }

 private:
  void add(std::string_view path) {
    path = path.substr(0, path.find_first_of("?#"));
    while (path.ends_with('/')) path.remove_suffix(1);
    std::string_view name = base_name(path);
    name.remove_prefix(name.find_last_of(':') + 1);  // host:file
    if (!name.empty() && name != ".") files_.insert(std::string(name));
    if (const std::string_view stem = archive_stem(name); !stem.empty()) stems_.emplace(stem);
  }

  bool is_one(std::string_view path) const {
    if (path.empty()) return false;
    const bool could_be = any_ && path.contains('.') && !path.starts_with('/');
    return could_be || files_.contains(std::string(base_name(path)));
  }

  bool reads_one(const SeenCommand& command) const {
    return std::ranges::any_of(command.redirects, [&](const SeenRedirect& redirect) {
      return redirect.kind == ShellRedirect::Kind::input && is_one(redirect.target.text);
    });
  }

  void add_fetched(const SeenCommand& command) {
    const char letter = command.program == "curl" || command.program == "axel" ? 'o' : 'O';
    for (std::size_t i = 1; i < command.words.size(); ++i) {
      const std::string_view word = command.word(i);
      const bool short_form =
          word.starts_with('-') && !word.starts_with("--") && word.ends_with(letter);
      if (short_form || among(word, "--output --output-document")) add(command.word(i + 1));
      if (word.contains("://")) add(word);
      const std::size_t archive = word.find("/archive/");  // owner/name/archive/v1.zip has name-1
      if (archive != word.npos) stems_.emplace(base_name(word.substr(0, archive)));
      const bool list = command.program != "curl" && word.starts_with('-') &&
                        !word.starts_with("--") && word.ends_with('i');
      any_ = any_ || list || word.starts_with("--input-file") ||
             (command.program == "curl" && among(word, "-K --config"));
      for (const std::string_view name : {"--output=", "--output-document="}) {
        if (word.starts_with(name)) add(word.substr(name.size()));
      }
    }
    for (const SeenRedirect& redirect : command.redirects) {
      if (redirect.writes() && redirect.descriptor == 1) add(redirect.target.text);
    }
  }

  std::set<std::string> files_;
  std::set<std::string> stems_;
  bool any_ = false;      // a list said which
  bool unnamed_ = false;  // they have names that the text does not tell
};

// Repositories that a text clones, and archives that it downloads and unpacks. Building one is
// ordinary work; running a script of it runs what nobody here has read.
class Clones {
 public:
  void note(const SeenCommand& command, const Arguments& arguments) {
    if (command.program == "git" && !arguments.begins("clone")) return;
    const std::optional<SeenWord> made = cloned_directory(arguments);
    if (made) add(command, made->text, false);
  }

  void note_unpacked(const SeenCommand& command, const Arguments& arguments,
                     const std::set<std::string>& stems) {
    for (const SeenWord& to : destinations(arguments)) {
      if (!among(base_name(to.text), ". tmp")) return add(command, to.text, false);
    }
    for (const SeenWord* word : arguments.operands()) add(command, word->text, true);  // members
    for (const std::string& stem : stems) add(command, stem, true);
  }

  bool are_run_by(const SeenCommand& command, const Arguments& arguments) const {
    if (brought_.empty() || command.words.empty()) return false;
    if (runs_its_program(arguments)) return is_in_clone(command, "");
    if (command.program == "make" || command.program == "gmake") {
      return is_in_clone(command, "") && arguments.any_operand([](const SeenWord& word) {
        return word.text == "install" || word.text.starts_with("install-");
      });
    }
    if (command.word(0).contains('/')) return is_script(command, command.word(0));
    if (is_shell(command.program) || among(command.program, "source .") ||
        is_interpreter(command.program)) {
      const std::string_view file = arguments.verb(0);
      return file.contains('.') && is_script(command, file);
    }
    return false;
  }

 private:
  static constexpr std::size_t kMost = 256;  // with more, anything may be of one of them

  struct Brought {
    std::string in;  // the directory in which it was made
    std::string name;
    bool unpacked;  // its name may be longer or shorter, or it has no directory
  };

  void add(const SeenCommand& command, std::string_view path, bool unpacked) {
    while (path.ends_with('/')) path.remove_suffix(1);
    const std::string_view name = base_name(path);
    if (name.empty() || name == "." || brought_.size() == kMost) return;
    brought_.push_back({command.directory, std::string(name), unpacked});
  }

  // cargo run, npm start, python3 -m x
  static bool runs_its_program(const Arguments& arguments) {
    const std::string& program = arguments.command.program;
    if (among(program, "cargo go dotnet deno swift zig stack cabal flutter")) {
      return arguments.begins("run");
    }
    if (among(program, "npm pnpm yarn bun")) {
      return arguments.begins("start|dev|serve") || arguments.begins("run start|dev|serve");
    }
    if (program == "docker" || program == "podman") return arguments.begins("compose up|run");
    if (program == "docker-compose") return arguments.begins("up|run");
    return program.starts_with("python") && arguments.command.word(1) == "-m" &&
           !among(
               arguments.command.word(2),
               "pip venv virtualenv pytest unittest build tox nox compileall json.tool mypy ruff "
               "black isort flake8 pylint coverage http.server ensurepip pipx poetry uv");
  }

  // y-1.2 for y-1.2.tgz, y-main for .../y/archive/main.zip, y for y_linux_amd64.tgz
  static bool is_of(const Brought& one, std::string_view piece, bool is_directory) {
    if (piece == one.name) return true;
    if (!one.unpacked || piece.empty()) return false;
    if (one.name.starts_with(piece)) return among(one.name.substr(piece.size(), 1), "- _");
    return is_directory && piece.starts_with(one.name) && piece[one.name.size()] == '-';
  }

  bool is_in_clone(const SeenCommand& command, std::string_view path) const {
    std::string whole = command.directory + "/";
    if (path.find_first_of("/~") == 0) whole.clear();
    whole += path;
    if (brought_.size() == kMost) return true;
    return std::ranges::any_of(brought_, [&](const Brought& one) {
      std::string_view below = whole;
      if (below.starts_with(one.in)) below.remove_prefix(one.in.size());
      if (one.unpacked && whole == one.in + "/" + std::string(path) && is_installer(path)) {
        return true;
      }
      while (!below.empty()) {
        const std::string_view piece = next_word(below, '/');
        if (is_of(one, piece, !below.empty() || path.empty())) return true;
      }
      return false;
    });
  }

  // ./install.sh: of an archive without a directory
  static bool is_installer(std::string_view path) {
    const std::string name = lower_case(base_name(path));
    return name.starts_with("install") || name.starts_with("setup.") ||
           name.starts_with("bootstrap");
  }

  // Not what only builds or tests.
  bool is_script(const SeenCommand& command, std::string_view path) const {
    const std::string name = lower_case(base_name(path));
    if (among(name, "gradlew mvnw manage.py pip pip3 python python3 activate pytest")) return false;
    for (const std::string_view mark : {"configure", "autogen", "build", "test", "compile"}) {
      if (name.contains(mark)) return false;
    }
    return !path.contains("node_modules/") && !path.contains("venv/") &&
           !path.contains("/bin/python") && is_in_clone(command, path);
  }

  std::vector<Brought> brought_;
};

// Tokens that are printed for all to see, and not for a header or a login.
class Tokens {
 public:
  void note(const SeenCommand& command, const Arguments& arguments) {
    const bool hidden = command.run_by.starts_with("$( )") ||
                        std::ranges::any_of(command.redirects, [](const SeenRedirect& redirect) {
                          return redirect.writes() && redirect.descriptor == 1 &&
                                 redirect.target.text == "/dev/null";
                        });
    const bool role = arguments.verb(1).starts_with("assume-role");  // the rest needs its output
    if (makes_token(arguments) && !hidden && !role) shown_.push_back(&command);
    const bool login = std::ranges::any_of(command.words, [](const SeenWord& word) {
      return word.text.contains("login") || word.text.contains("stdin");
    });
    if (!login) return;
    std::erase_if(shown_, [&](const SeenCommand* one) {
      return std::ranges::find(command.input.producers, one->program) !=
             command.input.producers.end();
    });
  }

  const std::vector<const SeenCommand*>& shown() const { return shown_; }

 private:
  std::vector<const SeenCommand*> shown_;
};

// What a text has read that is not to be sent, and where it is now: in a pipe, a word, or a file.
class Secrets {
 public:
  void note(const SeenCommand& command, const Arguments& arguments) {
    if (makes_token(arguments)) printers_.insert(command.called());
    // what it reads becomes words of other commands
    if (among(command.program, "xargs parallel read mapfile readarray") || command.words.empty()) {
      in_words_ = in_words_ || reads_from_printer(command) || reads_private(arguments);
    }
    copies_.note(arguments);
    if (among(command.program, "cp mv ln install")) return note_copy(arguments);
    if (const auto real = copies_.with_originals(arguments, true)) {
      note_printed(*real, Arguments(*real, arguments.paths));
    } else {
      note_printed(command, arguments);
    }
  }

  bool are_sent_by(const SeenCommand& command, const Arguments& arguments) const {
    if (command.program == "git" && copies_.have_secrets() && arguments.begins("push")) return true;
    const auto real = copies_.with_originals(arguments, true);
    if (real && sends_words(Arguments(*real, arguments.paths))) return true;
    if (printers_.empty() && files_.empty() && !in_words_) return false;
    return (reads_from_printer(command) && sends_input(arguments)) ||
           (in_words_ && sends_printed(arguments)) || sends_one_of(arguments, files_) ||
           (reads_one(command) && sends_redirected(arguments)) ||
           (among(command.program, "dig nslookup host ping drill") && sends_printed(arguments));
  }

  // Of a copy.
  bool are_shown_by(const Arguments& arguments) const {
    const auto real = copies_.with_originals(arguments, false);
    return real && shows_secret(Arguments(*real, arguments.paths));
  }

 private:
  void note_printed(const SeenCommand& command, const Arguments& arguments) {
    if (!prints_private(arguments)) return;
    printers_.insert(command.called());
    in_words_ = in_words_ || command.run_by.starts_with("$( )");
    for (const SeenRedirect& redirect : command.redirects) {
      if (redirect.writes()) files_.insert(std::string(base_name(redirect.target.text)));
    }
    for (const SeenWord* word : arguments.operands()) {  // zip x.zip ~/a, tar czf x.tgz ~/a
      if (word->text.find_first_of("./") != std::string::npos) {
        files_.insert(std::string(base_name(word->text)));
      }
    }
  }

  bool reads_from_printer(const SeenCommand& command) const {
    return std::ranges::any_of(command.input.producers, [&](const std::string& program) {
      return printers_.contains(program);
    });
  }

  // xargs -a ~/.netrc curl x, while read l; do …; done < ~/.netrc
  static bool reads_private(const Arguments& arguments) {
    const auto is_private = [&](const SeenWord& word) {
      return arguments.paths.is_private(arguments.resolved(word).text);
    };
    return std::ranges::any_of(option_values(arguments.command, 'a', "arg-file"), is_private) ||
           std::ranges::any_of(arguments.command.redirects, [&](const SeenRedirect& redirect) {
             return redirect.kind == ShellRedirect::Kind::input && is_private(redirect.target);
           });
  }

  // cp ~/.bash_history /tmp/h
  void note_copy(const Arguments& arguments) {
    for (const SeenWord& word : sources(arguments)) {
      if (!arguments.paths.is_private(arguments.resolved(word).text)) continue;
      files_.insert(std::string(base_name(word.text)));
      files_.insert(std::string(base_name(arguments.operands().back()->text)));
    }
  }

  bool reads_one(const SeenCommand& command) const {
    return std::ranges::any_of(command.redirects, [&](const SeenRedirect& redirect) {
      return redirect.kind == ShellRedirect::Kind::input &&
             files_.contains(std::string(base_name(redirect.target.text)));
    });
  }

  std::set<std::string> printers_;  // programs that have printed one
  std::set<std::string> files_;     // where one may have been written to, by the last name
  Copies copies_;
  bool in_words_ = false;  // one was printed by $(…)
};

// Remotes that a text adds.
class Remotes {
 public:
  void note(const SeenCommand& command, const Arguments& arguments) {
    if (command.program == "git" && arguments.begins("remote add") &&
        !among(arguments.verb(2), "origin upstream")) {
      remotes_.insert(std::string(arguments.verb(2)));
    }
  }

  bool pushes(const SeenCommand& command, const Arguments& arguments) const {
    return command.program == "git" && arguments.begins("push") &&
           remotes_.contains(std::string(arguments.verb(1)));
  }

 private:
  std::set<std::string> remotes_;
};

// The files that a text has made executable, and starts at once: the rule of Hermes.
class MadeExecutable {
 public:
  void note(const SeenCommand& command) {
    if (command.program != "chmod") return;
    added_ = added_ || std::ranges::any_of(command.words, [](const SeenWord& word) {
               return word.text.contains('+') && adds_execution(word.text);
             });
    add_executables(command, files_);
  }

  bool starts(const SeenCommand& command) const {
    const std::string_view name = command.word(0);
    return (added_ && name.starts_with("./")) ||
           (name.contains('/') && files_.contains(std::string(base_name(name))));
  }

 private:
  bool added_ = false;
  std::set<std::string> files_;
};

}  // namespace

std::vector<Concern> judge_sequences(const std::deque<SeenCommand>& commands,
                                     const PathKinds& paths, bool hermes_rules) {
  std::vector<Concern> concerns;
  const auto say = [&](const std::string& key, const SeenCommand& command) {
    concerns.push_back({RuleClass::dangerous, key, key, shown_words(command), command.directory});
  };
  MadeExecutable executable;
  Secrets secrets;
  Downloads downloads;
  Remotes remotes;
  Clones clones;
  Tokens tokens;
  for (const SeenCommand& command : commands) {
    if (command.elsewhere) continue;
    if (hermes_rules) {
      if (executable.starts(command)) say("chmod +x followed by immediate execution", command);
      executable.note(command);
      continue;
    }
    const Arguments arguments(command, paths);
    if (secrets.are_sent_by(command, arguments)) say("secret file sent over the network", command);
    if (secrets.are_shown_by(arguments)) say("secret shown", command);
    if (downloads.are_run_by(command, arguments)) say("run of a downloaded file", command);
    if (remotes.pushes(command, arguments)) {
      say("git push to an address instead of a known remote", command);
    }
    if (clones.are_run_by(command, arguments)) say("run of a downloaded file", command);
    clones.note(command, arguments);
    if (downloads.are_unpacked_by(command, arguments)) {
      clones.note_unpacked(command, arguments, downloads.stems());
    }
    tokens.note(command, arguments);
    remotes.note(command, arguments);
    secrets.note(command, arguments);
    downloads.note(command, arguments);
  }
  for (const SeenCommand* command : tokens.shown()) say("secret shown", *command);
  return concerns;
}

}  // namespace talaria::guard
