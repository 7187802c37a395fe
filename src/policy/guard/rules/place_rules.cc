// Writing to places that are not the task's: the person's files outside the project, what git runs
// by itself, the secrets of the project.
#include <algorithm>
#include <iterator>

#include "policy/guard/path_text.h"
#include "policy/guard/rules/destinations.h"
#include "policy/guard/rules/named_paths.h"
#include "policy/guard/rules/rule.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/shell_call.h"
#include "policy/guard/run/wrapper.h"

namespace talaria::guard {
namespace {

bool is_written(const Arguments& arguments, const std::function<bool(const std::string&)>& test) {
  return std::ranges::any_of(destinations(arguments),
                             [&](const SeenWord& word) { return test(word.text); });
}

bool writes_foreign(const Arguments& arguments) {
  return is_written(arguments, [&](const std::string& path) {
    return !is_remote(path) && !among(normalized_path(path), "/tmp /var/tmp") &&
           arguments.paths.is_foreign(path);
  });
}

// git -C ~/dotfiles pull
bool changes_foreign_repository(const Arguments& arguments) {
  if (!among(arguments.verb(0),
             "add am apply checkout cherry-pick clean commit merge mv pull rebase reset restore "
             "revert rm stash switch")) {
    return false;
  }
  const SeenCommand& command = arguments.command;
  const auto foreign = [&](const SeenWord& word) {
    return arguments.paths.is_foreign(arguments.resolved(word).text);
  };
  const bool by_variable = std::ranges::any_of(command.variables, [&](const SeenAssignment& one) {
    return among(one.name, "GIT_DIR GIT_WORK_TREE") && foreign(one.value);
  });
  if (by_variable) return true;
  const bool here = command.word(1) == "pull" && !command.elsewhere;
  if (here && foreign({"x"})) return true;
  for (std::size_t i = 1; i + 1 < command.words.size() && command.word(i).starts_with('-'); ++i) {
    if (command.word(i) == "-C" && foreign(command.words[i + 1])) return true;
    if (among(command.word(i), "-C -c")) ++i;
  }
  return false;
}

// git clone x ~/.hermes/plugins/y: a new directory takes nothing away, but programs load what is
// there
bool clones_into_private_place(const Arguments& arguments) {
  const std::optional<SeenWord> to = cloned_directory(arguments);
  if (!to) return false;
  const SeenWord path = arguments.resolved(*to);
  if (!path.known() || !arguments.paths.is_foreign(path.text)) return false;
  return arguments.paths.is_home(path) ||
         arguments.paths.is_private_place(arguments.paths.folded(path.text));
}

// make install PREFIX=~/.local; with DESTDIR, that is in front of it
bool installs_outside(const Arguments& arguments) {
  std::string_view to;
  for (const SeenWord* word : arguments.operands()) {
    const std::string_view text = word->text;
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string name = lower_case(text.substr(0, equals));
    const bool counts = name == "destdir" || (name == "prefix" && to.empty());
    if (counts && equals + 1 < text.size()) to = text.substr(equals + 1);
    if (name == "destdir") break;
  }
  return arguments.paths.is_foreign(to);
}

// sqlite3 x.db '.backup FILE', copy t to 'FILE'
bool database_writes_foreign(const Arguments& arguments) {
  const auto writes = [](std::string_view text) {
    const std::string script = lower_case(text);
    const auto has = [&](std::string_view mark) { return script.contains(mark); };
    const bool changes = has("drop ") || has("delete ") || has("update ") || has("insert ");
    return has(".backup") || has(".save") || has(".output") || has(".once") || has(".clone") ||
           has("vacuum into") || has("outfile") || has("\\o ") || has("export database") ||
           (has("copy ") && has(" to ")) || (has("attach ") && changes);
  };
  const SeenInput& input = arguments.command.input;
  const bool is_file = among(arguments.command.program, "sqlite3 sqlite duckdb");
  if (is_file && !arguments.has("-readonly") &&
      arguments.paths.is_foreign(arguments.resolved({std::string(arguments.verb(0))}).text)) {
    const auto changes_rows = [](std::string_view text) {
      return among(lower_case(next_word(text)), "drop delete update insert create alter replace");
    };
    if (arguments.any_word(changes_rows) || (input.text && changes_rows(*input.text))) return true;
  }
  const bool moves = arguments.any_word([](auto word) { return word.starts_with(".cd "); });
  if (moves && arguments.any_word(writes)) return true;  // then nobody knows where
  return (arguments.any_word(writes) || (input.text && writes(*input.text))) &&
         script_names_path(arguments, [&](const SeenWord& word) {
           return arguments.paths.is_foreign(word.text);
         });
}

bool redirects_to_foreign(const Arguments& arguments) {
  if (is_in_container(arguments.command)) return false;
  return std::ranges::any_of(arguments.command.redirects, [&](const SeenRedirect& redirect) {
    return redirect.writes() &&
           arguments.paths.is_foreign(arguments.resolved(redirect.target).text);
  });
}

bool is_hook(const Arguments& arguments, const std::string& path) {
  return arguments.paths.is_git_hook(path) && !path.ends_with(".sample");
}

bool writes_hook(const Arguments& arguments) {
  if (!arguments.command.directory.contains(".git") &&
      !arguments.any_word([](std::string_view word) { return word.contains(".git"); })) {
    return false;
  }
  return is_written(arguments, [&](const std::string& path) { return is_hook(arguments, path); });
}

bool redirects_to_hook(const Arguments& arguments) {
  return arguments.writes_to(
      [&](std::string_view path) { return is_hook(arguments, std::string(path)); });
}

bool is_env_file(std::string_view path) {
  if (path.starts_with(kUnknownPiece)) return false;
  const std::string_view name = base_name(path);
  return (name == ".env" || name.starts_with(".env.")) && !is_sample(name);
}

// cp .env.example .env begins one; anything else over it loses what is in it
bool copies_over_env(const Arguments& arguments) {
  const std::vector<SeenWord> from = sources(arguments);
  const bool sample =
      std::ranges::all_of(from, [](const SeenWord& word) { return is_sample(word.text); });
  return !sample && !arguments.has("-n|--no-clobber") &&
         std::ranges::any_of(destinations(arguments),
                             [](const SeenWord& word) { return is_env_file(word.text); });
}

bool writes_env(const Arguments& arguments) {
  return !arguments.has("-a|--append") &&
         std::ranges::any_of(destinations(arguments),
                             [](const SeenWord& word) { return is_env_file(word.text); });
}

bool redirects_over_env(const Arguments& arguments) {
  return std::ranges::any_of(arguments.command.redirects, [](const SeenRedirect& redirect) {
    return redirect.writes() && redirect.kind != ShellRedirect::Kind::append &&
           is_env_file(redirect.target.text);
  });
}

bool empties(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  const bool zero = std::ranges::any_of(command.words, [](const SeenWord& word) {
    return among(word.text, "0 -s0 --size=0 --size=0K -s0K");
  });
  return zero && arguments.any_operand([&](const SeenWord& word) {
    return !arguments.paths.is_disposable(arguments.resolved(word).text);
  });
}

// sed -i d: every line goes
bool deletes_every_line(const Arguments& arguments) {
  return arguments.has("-i|-i*|--in-place*") && arguments.any_word([](std::string_view word) {
    return among(word, "d 1,$d $!d,$d 1,$!d s/.*// s/^.*$// Q q 1!d");
  });
}

// Modes that take rights away from others, which keys need.
bool tightens(std::string_view mode) {
  return among(mode, "600 0600 400 0400 700 0700 500 go-rwx go-rw go= og-rwx u=rw,go= u+rw");
}

bool changes_foreign_rights(const Arguments& arguments) {
  if (tightens(arguments.verb(0))) return false;
  const auto& words = arguments.operands();
  const bool first = among(arguments.command.program, "setfacl chattr");
  return std::any_of(words.begin() + (words.empty() || first ? 0 : 1), words.end(),
                     [&](const SeenWord* word) {
                       return arguments.paths.is_foreign(arguments.resolved(*word).text);
                     });
}

// install -m 4755, cp --preserve: a file that gives its owner's rights to any user
bool installs_set_id(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    if (word.starts_with("--mode=")) word.remove_prefix(7);
    if (word.starts_with("-m")) word.remove_prefix(2);
    const bool octal = !word.empty() && word.find_first_not_of("01234567") == word.npos;
    if (octal) return word.size() >= 4 && ((word[word.size() - 4] - '0') & 6) != 0;
    return word.starts_with("u+s") || word.starts_with("u=") ? word.contains('s') : false;
  });
}

// scp x host:/etc/y: a system that is not even this one
bool writes_system_elsewhere(const Arguments& arguments) {
  const auto& words = arguments.operands();
  if (words.size() < 2 || !is_remote(words.back()->text)) return false;
  const std::string_view path =
      std::string_view(words.back()->text).substr(words.back()->text.find(':') + 1);
  return arguments.paths.is_system_config(path) || path.starts_with("/usr/") ||
         path.starts_with("/boot") || path.starts_with("/root") || path.contains(".ssh/") ||
         path.starts_with("/bin") || path.starts_with("/lib") ||
         base_name(path).starts_with(".bash") || base_name(path) == ".profile" ||
         base_name(path).starts_with(".zsh") || path.starts_with("/var/spool/cron");
}

// These read what their words name, or a rule of their own says what they write.
constexpr std::string_view kOnlyRead =
    "cat bat less more head tail tac nl grep egrep fgrep rg ag ack diff cmp comm wc ls exa eza lsd "
    "stat test [ [[ du df tree find gfind fd file sha1sum sha256sum sha512sum shasum md5sum b2sum "
    "cksum cut sort uniq join paste fold rev tr od xxd hexdump strings base64 base32 jq yq echo "
    "printf cd pushd popd export declare typeset local readonly unset alias which type command "
    "hash source . bash sh zsh dash ksh fish eval exec readlink realpath basename dirname "
    "shellcheck vim vi nvim nano view emacs code open xdg-open cp mv ln install rsync scp rm rmdir "
    "unlink shred chmod chown chgrp setfacl getfacl chattr mkdir ssh ssh-add ssh-keygen "
    "ssh-copy-id ssh-agent sftp systemctl crontab true false : set return exit tee sponge dd tar "
    "gtar bsdtar unzip zip gpg sed gsed truncate read man info apropos tmux kubectl docker podman "
    "talaria hermes gzip xclip pbcopy awk gawk mawk nawk ed ex ldd nm objdump readelf";

// Verbs of git that write where their words say.
constexpr std::string_view kGitWriting =
    "bundle archive format-patch clone worktree init bugreport diagnose fast-export";

// perl -ne print ~/.bashrc
bool only_filters(const Arguments& arguments) {
  return among(arguments.command.program, "perl ruby") && arguments.has("-n|-p|-ne|-pe|-wne") &&
         !arguments.has("-i|-i*") && !arguments.any_word([](std::string_view word) {
           return word.contains('>') || word.contains("open") || word.contains("write");
         });
}

// An option or a script can make most programs write a file: only few are known not to.
bool may_write_start_file(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  if (command.elsewhere) return false;
  const auto bad = [&](const SeenWord& word) {
    return arguments.paths.is_start_file(word.text) && !word.text.ends_with(".sample") &&
           !word.text.ends_with(".pub");
  };
  if (redirect_names(arguments, true, bad)) return true;
  if (command.program.empty() || only_filters(arguments)) return false;
  if (find_wrapper(command.program) != nullptr) {
    return std::ranges::any_of(destinations(arguments), bad);
  }
  if (script_names_path(arguments, bad)) return true;
  if (among(command.program, "sqlite3 sqlite") && arguments.has("-readonly")) return false;
  if (among(command.program, kOnlyRead)) {
    return std::ranges::any_of(destinations(arguments), bad);
  }
  if (is_interpreter(command.program) && !command.word(1).starts_with('-')) {
    SeenCommand rest = command;  // without the script that it runs
    if (rest.words.size() > 1) rest.words.erase(rest.words.begin() + 1);
    return names_path(Arguments(rest, arguments.paths), bad);
  }
  if (command.program != "git") return names_path(arguments, bad);
  if (arguments.verb(0) == "config") {
    return std::ranges::any_of(option_values(command, 'f', "file"),
                               [&](const SeenWord& word) { return bad(arguments.resolved(word)); });
  }
  return among(arguments.verb(0), kGitWriting) && names_path(arguments, bad);
}

// ln -s ~ h: what goes through it later looks like a part of the project. A hard link is the file.
bool links_to_private(const Arguments& arguments) {
  const bool symbolic = arguments.has("-s|--symbolic*");
  const bool copies = arguments.command.program == "cp";
  if (copies && !symbolic && !arguments.has("-l|--link")) return false;
  std::vector<SeenWord> targets = sources(arguments);
  if (arguments.operands().size() == 1 || arguments.has("-t|--target-directory*")) {
    targets.push_back(arguments.resolved(*arguments.operands().back()));
  }
  return std::ranges::any_of(targets, [&](const SeenWord& word) {
    const PathKinds& paths = arguments.paths;
    return paths.is_foreign(word.text) &&
           (paths.is_private(word.text) || paths.is_start_file(word.text) ||
            (!symbolic && !paths.below_system(word.text)));
  });
}

// sort x > x: the shell empties the file before it is read
bool reads_what_it_empties(const Arguments& arguments) {
  return std::ranges::any_of(arguments.command.redirects, [&](const SeenRedirect& redirect) {
    return redirect.kind == ShellRedirect::Kind::output && redirect.descriptor == 1 &&
           redirect.target.known() && !redirect.target.text.starts_with("/dev/") &&
           arguments.any_operand(
               [&](const SeenWord& word) { return word.text == redirect.target.text; });
  });
}

constexpr auto kPlaceRules = only_ours(std::to_array<Rule>({
    {.key = "change of a git hook or git's settings",
     .when = writes_hook,
     .yes = {"cp x .git/hooks/pre-commit", "tee .git/hooks/post-merge",
             "ln -s ../../x "
             ".git/hooks/pre-push"},
     .no = {"cp x .husky/pre-commit", "cat .git/hooks/pre-commit", "cp .git/hooks/x.sample y"}},
    {.key = "change of a git hook or git's settings",
     .when = redirects_to_hook,
     .yes = {"echo x > .git/hooks/pre-commit", "cat x >> .git/config"},
     .no = {"cat .git/config > x", "echo x > .gitignore"}},
    {.key = "overwrite project env/config file",
     .programs = "cp mv install ln",
     .when = copies_over_env,
     .yes = {"cp .env.local .env", "mv .env.production .env", "install -m 600 t .env.production"},
     .no = {"cp .env.example .env", "cp config.yaml backup.yaml", "cp .env /tmp/x",
            "cp -n .env.local .env"}},
    {.key = "overwrite project env/config via tee",
     .programs = "tee sponge truncate sed gsed",
     .when = writes_env,
     .yes = {"printenv | tee .env.local", "truncate -s 0 .env"},
     .no = {"tee .envrc", "echo A=1 | tee -a .env", "tee config.yaml"}},
    {.key = "overwrite project env/config via redirection",
     .when = redirects_over_env,
     .yes = {"echo A=1 > .env", "x > /opt/data/.env; ls"},
     .no = {"cat .env > backup.txt", "echo A=1 >> .env", "x > .env.example", "x > config.yaml"}},
    {.key = "link to a private place",
     .programs = "ln cp",
     .when = links_to_private,
     .why = "gives private files another name, under which they are not recognised",
     .yes = {"ln -s ~ h", "ln -s ~/.config c", "ln -s ~/.bashrc out.log", "ln ~/notes/a.txt x.txt",
             "cp -al ~/Documents x", "ln -s ~/.ssh"},
     .no = {"ln -s ../shared x", "ln -s ~/datasets data", "ln -s /usr/bin/python3 python",
            "ln a.txt b.txt", "cp -a ~/Documents/x ."},
     .elsewhere = false},
    {.key = "empties a file",
     .programs = "truncate",
     .when = empties,
     .yes = {"truncate -s 0 app.db", "truncate -s 0 src/main.c"},
     .no = {"truncate -s 0 out.log", "truncate -s 1G disk.img", "truncate -s 0 /tmp/dev.log"}},
    {.key = "empties a file",
     .programs = "sed gsed",
     .when = deletes_every_line,
     .yes = {"sed -i d notes.md", "sed -i '1,$d' notes.md"},
     .no = {"sed -i '/x/d' notes.md", "sed d notes.md"}},
    {.key = "empties a file",
     .programs = "sort uniq sed grep awk cut tr jq head tail cat tac nl column fmt gofmt black",
     .when = reads_what_it_empties,
     .yes = {"sort data.csv > data.csv", "jq . package.json > package.json"},
     .no = {"sort data.csv > sorted.csv", "sort -o data.csv data.csv", "cat a >> a.log"}},
    {.key = "set-user-id bit",
     .programs = "install",
     .when = installs_set_id,
     .yes = {"install -m 4755 x bin/x", "install -m4755 x bin/x", "install --mode=6755 x bin/x"},
     .no = {"install -m 755 x bin/x", "install -m 0644 x y", "install -d build"}},
    {.key = "change of another system's files",
     .programs = "scp rsync",
     .when = writes_system_elsewhere,
     .yes = {"scp nginx.conf root@web1:/etc/nginx/nginx.conf", "rsync -a x/ h:/usr/local/bin/"},
     .no = {"scp a h:/tmp/", "scp h:/etc/hosts .", "scp -r dist u@h:/var/www/app"}},
    {.key = "files made inaccessible",
     .programs = "chmod",
     .when =
         [](const Arguments& a) {
           return among(a.verb(0), "0 00 000 0000 a-rwx a-r ugo= a= ugo-rwx u-r u-rwx");
         },
     .yes = {"chmod -R 000 .", "chmod a-rwx src"},
     .no = {"chmod 600 key", "chmod a-w x"}},
    {.key = "permissions of files outside the project",
     .programs = "chmod chown chgrp setfacl chattr",
     .when = changes_foreign_rights,
     .yes = {"chmod 644 ~/.ssh/id_rsa", "chown -R bob /srv/www", "chgrp staff ~/Documents/x"},
     .no = {"chmod 600 ~/.ssh/id_rsa", "chmod +x run.sh", "chmod +x /tmp/x", "chmod -R 755 dist"}},
    {.key = "write outside the project",
     .when = redirects_to_foreign,
     .yes = {"echo x > ~/notes.txt", "cat a >> ~/.vimrc", "x > /srv/app/y", "> ~/.gitconfig"},
     .no = {"echo x > notes.txt", "make > /tmp/log 2>&1", "x > /dev/null", "cat < ~/notes.txt",
            "make 2> build/err.log"}},
    {.key = "change of a start file, a key or a hook",
     .when = may_write_start_file,
     .yes = {"shuf -o ~/.bashrc x", "vim -es -c 'w! ~/.bashrc' -c q x", "x --log=$HOME/bin/ls",
             "cd $x; echo y >> .bashrc", "/usr/bin/time -o ~/.profile true"},
     .no = {"cat ~/.bashrc", "vim ~/.bashrc", "shuf -o out.txt x", "diff ~/.bashrc x",
            "awk 1 ~/.bashrc", "perl -ne print ~/.bashrc"}},
    {.key = "write outside the project",
     .when = writes_foreign,
     .yes = {"cp x ~/Documents/y", "mv ~/Documents/a b", "unzip -o x.zip -d ~/.config",
             "cd ~/Documents && curl -O https://h/x", "pandoc x.md -o ~/Documents/x.pdf",
             "aws s3 sync s3://b ~/Documents"},
     .no = {"cp ~/Documents/x .", "tar xf x.tgz -C build", "cp x /tmp/y", "scp a host:/srv/x",
            "sed 's/a/b/' ~/notes.txt", "grep -o /srv/x src"},
     .elsewhere = false},
    {.key = "write outside the project",
     .programs = "make gmake ninja",
     .verbs = "install",
     .when = installs_outside,
     .yes = {"make install PREFIX=$HOME/.local", "make install DESTDIR=/srv/x"},
     .no = {"make install DESTDIR=/tmp/stage PREFIX=/usr", "make PREFIX=/usr"},
     .elsewhere = false},
    {.key = "write outside the project",
     .programs = "cmake meson",
     .when =
         [](const Arguments& a) {
           const std::vector<SeenWord> prefixes = option_values(a.command, '\0', "prefix");
           return a.has("--install") && std::ranges::any_of(prefixes, [&](const SeenWord& word) {
                    return a.paths.is_foreign(a.resolved(word).text);
                  });
         },
     .yes = {"cmake --install build --prefix /usr"},
     .no = {"cmake --install build --prefix dist", "cmake --build build",
            "cmake --install build --prefix /tmp/stage"}},
    {.key = "write outside the project",
     .programs = "git",
     .when = changes_foreign_repository,
     .yes = {"git -C ~/dotfiles pull --rebase", "git -C /srv/app merge x"},
     .no = {"git -C ~/dotfiles status", "git -C sub pull", "git -C /tmp/x pull", "git pull"}},
    {.key = "write outside the project",
     .programs = "git hg gh glab svn degit tiged giget",
     .when = clones_into_private_place,
     .yes = {"git clone https://h/x ~/.claude/skills/x", "cd ~/.hermes/plugins && git clone h:x",
             "svn checkout https://h/x ~/.config/zsh"},
     .no = {"git clone https://h/x", "git clone https://h/x ~/src/x", "git init",
            "git clone https://h/x /tmp/x", "git clone https://h/x ~/.cache/x"},
     .elsewhere = false},
    {.key = "write outside the project",
     .programs = "sqlite3 sqlite duckdb psql mysql mariadb",
     .when = database_writes_foreign,
     .yes = {"sqlite3 x.db '.backup /srv/notes'", "sqlite3 /srv/x.db 'insert into t values (1)'",
             "sqlite3 x.db \"vacuum into '/srv/x.db'\""},
     .no = {"sqlite3 x.db '.backup x.bak'", "sqlite3 ~/notes/x.db 'select 1'",
            "sqlite3 x.db '.output /tmp/x.csv' 'select 1'"},
     .elsewhere = false},
}));

}  // namespace

std::span<const Rule> place_rules() { return kPlaceRules; }

}  // namespace talaria::guard
