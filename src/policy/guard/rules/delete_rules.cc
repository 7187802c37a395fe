// Deleting files, and making them accessible to everybody.
#include <algorithm>

#include "policy/guard/rules/destinations.h"
#include "policy/guard/rules/found_files.h"
#include "policy/guard/rules/rule.h"
#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

bool deletes_absolute(const Arguments& arguments) {
  return arguments.any_operand(
      [&](const SeenWord& word) { return arguments.paths.is_outside(word.text); });
}

bool recursive(const Arguments& arguments) { return arguments.has("-r|-R|--recursive"); }

bool git_rm_recursive(const Arguments& arguments) {
  return recursive(arguments) && !arguments.has("-n|--dry-run|--cached");
}

bool run_by_find(const Arguments& arguments) { return among("find", arguments.command.run_by); }

// find -exec rm, find -exec sudo rm: the rule about `find` judges it. Not in a shell between them.
bool run_by_find_alone(const Arguments& arguments) {
  std::string_view by = arguments.command.run_by;
  std::string_view last;
  while (!by.empty()) {
    const std::string_view one = next_word(by);
    if (!among(one, "sudo doas command env")) last = one;
  }
  return among(last, "find gfind");
}

// Build products and temporary files: the task can make them again. What `find` fills in
// is judged with the `find`.
bool is_scratch(const Arguments& arguments, const SeenWord& word) {
  std::vector<std::string> all;
  if (word.text.contains("bin") && !arguments.paths.is_foreign(arguments.resolved(word).text)) {
    for (const SeenWord* one : arguments.operands()) all.push_back(one->text);
  }
  return word.temporary || is_bin_beside_obj(word.text, all) ||
         (run_by_find_alone(arguments) && word.text.contains(kUnknownPiece)) ||
         arguments.paths.is_disposable(arguments.resolved(word).text);
}

// cd $(x) && rm a: nobody knows where that is
bool is_anywhere(const Arguments& arguments, const SeenWord& word) {
  return arguments.command.lost && !arguments.command.elsewhere && word.known() &&
         word.text.find_first_of("/~") != 0;
}

bool deletes_foreign(const Arguments& arguments) {
  return arguments.any_operand([&](const SeenWord& word) {
    return !is_scratch(arguments, word) &&
           (is_anywhere(arguments, word) ||
            arguments.paths.is_foreign(arguments.resolved(word).text));
  });
}

bool deletes_more_than_scratch(const Arguments& arguments) {
  return recursive(arguments) &&
         arguments.any_operand([&](const SeenWord& word) { return !is_scratch(arguments, word); });
}

// rm *, rm src/*, rm *.py: not one file, but all of a kind
bool deletes_by_pattern(const Arguments& arguments) {
  return arguments.any_operand(
      [&](const SeenWord& word) { return word.pattern && !is_scratch(arguments, word); });
}

// .env and other files that no history brings back
bool deletes_secret(const Arguments& arguments) {
  return arguments.any_operand([&](const SeenWord& word) {
    const std::string path = arguments.resolved(word).text;
    return !is_scratch(arguments, word) && arguments.paths.is_private(path);
  });
}

bool run_by_xargs(const Arguments& arguments) {
  return among("xargs", arguments.command.run_by) || among("parallel", arguments.command.run_by);
}

// find … -delete, or the rm that it runs: `{}` is start/…, and its own words say the rest
bool find_deletes_work(const Arguments& arguments) { return !finds_only_scratch(arguments); }

bool find_runs_rm(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (!among(command.word(i), "-exec -execdir -ok -okdir")) continue;
    if (among(base_name(command.word(i + 1)), "sudo doas command env")) ++i;
    if (among(base_name(command.word(i + 1)), "rm unlink shred rmdir mv truncate")) {
      return !finds_only_scratch(arguments);
    }
  }
  return false;
}

// 777, 0666, o+w, a+rwx, …: others may write.
bool opens_mode(std::string_view mode) {
  if (!mode.empty() && mode.find_first_not_of("01234567") == std::string_view::npos) {
    return mode.size() >= 3 && ((mode.back() - '0') & 2) != 0;
  }
  while (!mode.empty()) {
    const std::string_view part = next_word(mode, ',');
    const std::size_t operation = part.find_first_of("+=");
    if (operation == std::string_view::npos || operation == 0) continue;
    const bool others = part.substr(0, operation).find_first_of("oa") != std::string_view::npos;
    if (others && part.substr(operation).contains('w')) return true;
  }
  return false;
}

bool opens_to_all(const Arguments& arguments) {
  return opens_mode(arguments.verb(0)) && !arguments.has("--recursive");
}
bool opens_long(const Arguments& arguments) {
  return opens_mode(arguments.verb(0)) && arguments.has("--recursive");
}

bool gives_to_root(const Arguments& arguments) {
  const std::string_view owner = arguments.verb(0);
  return owner.starts_with("root") || owner == "0" || owner.starts_with("0:");
}

bool on_system(const Arguments& arguments) {
  const bool all = arguments.has("-R|--recursive");
  const auto& words = arguments.operands();
  // the first says what is changed, but for those that may do without
  const bool takes =
      arguments.command.word(1).starts_with('-') &&
      arguments.command.word(1).find_first_not_of("-rwxXst") == std::string_view::npos;
  const bool first = among(arguments.command.program, "setfacl chattr") || takes;  // chmod -x f
  return std::any_of(
      words.begin() + (words.empty() || first ? 0 : 1), words.end(), [&](const SeenWord* word) {
        return arguments.paths.below_system(word->text) || (all && arguments.paths.is_home(*word));
      });
}

// u+s, 4755: whoever runs it becomes its owner.
bool sets_id(const Arguments& arguments) {
  const std::string_view mode = arguments.verb(0);
  const bool octal = mode.find_first_not_of("01234567") == std::string_view::npos;
  if (octal) return mode.size() == 4 && ((mode.front() - '0') & 6) != 0;
  if (mode == "g+s") return false;  // of a directory, that its files belong to the group
  const std::size_t plus = mode.find('+');
  return plus != std::string_view::npos && mode.substr(plus).contains('s');
}

bool changes_attributes(const Arguments& arguments) {
  return arguments.any_word(
      [](std::string_view word) { return word.starts_with('-') || word.starts_with('+'); });
}

bool copies_nothing(const Arguments& arguments) {
  return arguments.operands().size() > 1 && arguments.verb(0) == "/dev/null";
}

bool names_repository(const Arguments& arguments) {
  return arguments.any_operand([](const SeenWord& word) {
    std::string_view path = word.text;
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    return base_name(path) == ".git";
  });
}

bool shreds(const Arguments& arguments) {
  return arguments.any_operand([&](const SeenWord& word) {
    return !word.temporary && !arguments.paths.is_temporary(arguments.resolved(word).text) &&
           !arguments.paths.is_disposable(word.text);
  });
}

bool touches_what_counts(const Arguments& arguments) {
  return arguments.any_operand(&PathKinds::is_sensitive) ||
         arguments.any_operand(&PathKinds::below_system);
}

// tar --remove-files, zip -m, 7z -sdel: what went in is gone
bool archives_away(const Arguments& arguments) {
  return arguments.has("--remove-files|-m|--move|-sdel");
}

bool moves_away(const Arguments& arguments) {
  const auto& words = arguments.operands();
  const bool keys =
      words.size() > 1 && std::any_of(words.begin(), words.end() - 1, [&](auto* word) {
        const std::string path = arguments.resolved(*word).text;
        return arguments.paths.is_ssh(path) || arguments.paths.holds_project(path);
      });
  return keys || arguments.verb(arguments.operands().size() - 1) == "/dev/null" ||
         (arguments.operands().size() > 1 &&
          (arguments.paths.is_home(*arguments.operands()[0]) ||
           arguments.paths.is_root(*arguments.operands()[0]) ||
           arguments.paths.is_system_directory(*arguments.operands()[0])));
}

bool really_deletes(const Arguments& arguments) { return !arguments.has("-n|--dry-run"); }

// rsync --delete src/ build/x only makes a build product again, and rsync --delete dist/ static/
// puts one where the project serves it.
bool mirrors_over_work(const Arguments& arguments) {
  if (!really_deletes(arguments)) return false;
  const std::vector<SeenWord> to = destinations(arguments);
  const auto& words = arguments.operands();
  const auto own = [&](const SeenWord& word) {
    const std::string path = arguments.resolved(word).text;
    return word.known() && !is_remote(word.text) && !arguments.paths.is_foreign(path) &&
           !arguments.paths.holds_project(path);
  };
  const bool serves = words.size() > 1 &&
                      std::all_of(words.begin(), words.end() - 1,
                                  [&](const SeenWord* word) {
                                    return own(*word) && arguments.paths.is_disposable(word->text);
                                  }) &&
                      own(*words.back());
  if (serves && !arguments.has("--remove-source-files")) return false;
  return arguments.has("--remove-source-files") || to.empty() ||
         !std::ranges::all_of(to, [&](const SeenWord& word) {
           return !is_remote(word.text) && arguments.paths.is_disposable(word.text);
         });
}

constexpr Rule kDeleteRules[] = {
    {.key = "delete in root path",
     .programs = "rm rimraf",
     .when = deletes_absolute,
     .yes = {"rm /tmp/x", "rm -f -v /var/log/a", "sudo rm -rf /tmp",
             "find . -execdir /bin/rm /x \\;", "npx rimraf /srv/x"},
     .no = {"rm notes.txt", "rm -f ./a/b", "rm ~/notes.txt", "npx rimraf dist"},
     .set = RuleSet::hermes},
    {.key = "recursive delete",
     .programs = "rm",
     .when = recursive,
     .yes = {"rm -r d", "rm -fr .", "rm -irf build", "rm -R d", "rm d -rf", "rm --recursive d"},
     .no = {"rm readme.txt", "rm -f requirements.txt", "rm -v report.csv", "docker rm -f c",
            "rm --force x", "rm -- -r"},
     .set = RuleSet::hermes},
    {.key = "delete in root path",
     .programs = "rm rimraf unlink rmdir del-cli trash",
     .when = deletes_foreign,
     .why = "deletes files outside the project",
     .yes = {"rm -f -v /var/log/a", "sudo rm -rf /tmp", "rm -rf /tmp/*", "npx rimraf /srv/x",
             "rm ~/notes.txt", "rm ~/Documents/a.pdf"},
     .no = {"rm notes.txt", "rm -rf /tmp/my-test", "rm -f ./a/b", "npx rimraf dist",
            "rm -rf ~/.cache/pip", "rm /tmp/x.log"},
     .set = RuleSet::talaria},
    {.key = "recursive delete",
     .programs = "rm rimraf",
     .when = deletes_more_than_scratch,
     .yes = {"rm -r d", "rm -fr .", "rm -irf src", "rm -R d", "rm d -rf", "rm -rf bin"},
     .no = {"rm readme.txt", "rm -f requirements.txt", "rm -rf build dist *.egg-info",
            "rm -rf node_modules package-lock.json", "rm -rf src/A/bin src/A/obj", "rm -- -r"},
     .set = RuleSet::talaria},
    {.key = "delete by a pattern",
     .programs = "rm unlink",
     .when = deletes_by_pattern,
     .yes = {"rm *", "rm -f *.py", "rm src/*", "rm -f ./*"},
     .no = {"rm *.o", "rm -f build/*", "rm dist/*.whl", "rm -f *.log *.tmp", "rm '*'"},
     .set = RuleSet::talaria},
    {.key = "delete of a file that cannot be restored",
     .programs = "rm unlink",
     .when = deletes_secret,
     .yes = {"rm .env", "rm -f config/.env.production", "rm server.pem"},
     .no = {"rm .env.example", "rm .eslintrc", "rm -f .env.test"},
     .set = RuleSet::talaria},
    {.key = "recursive delete",
     .programs = "git",
     .verbs = "rm",
     .when = git_rm_recursive,
     .yes = {"git rm -r foo"},
     .no = {"git rm foo", "git rm -r --cached foo"},
     .set = RuleSet::hermes},
    {.key = "recursive delete",  // without -f git keeps what no commit has
     .programs = "git",
     .verbs = "rm",
     .flags = "-f|--force",
     .when = git_rm_recursive,
     .yes = {"git rm -rf foo", "git rm -r --force foo"},
     .no = {"git rm -r foo", "git rm -rf --cached foo"},
     .set = RuleSet::talaria},
    {.key = "world/other-writable permissions",
     .programs = "chmod",
     .when = opens_to_all,
     .yes = {"chmod 777 f", "chmod -R 777 .", "chmod 666 f", "chmod o+w f", "chmod a+rw f",
             "chmod 0777 f"},
     .no = {"chmod 755 f", "chmod 600 k", "chmod u+w f", "chmod +x f", "chmod g+w f",
            "chmod 644 777"}},
    {.key = "recursive world/other-writable (long flag)",
     .programs = "chmod",
     .when = opens_long,
     .yes = {"chmod --recursive \\\n777 /var", "chmod --recursive -v a+rwx d"},
     .no = {"chmod --recursive 755 d"}},
    {.key = "recursive chown to root",
     .programs = "chown",
     .flags = "-R",
     .when = gives_to_root,
     .yes = {"chown -R root d", "chown -vR root:root d"},
     .no = {"chown root f", "chown -R alice d"}},
    {.key = "recursive chown to root (long flag)",
     .programs = "chown",
     .flags = "--recursive",
     .when = gives_to_root,
     .yes = {"chown --recursive root:root d"},
     .no = {"chown --recursive alice d"}},
    {.key = "permissions of system files",
     .programs = "chmod chown chgrp setfacl chattr",
     .when = on_system,
     .yes = {"chmod -R 755 /usr", "chown -R alice /etc", "chmod -R 700 ~", "chmod 0 /etc/passwd",
             "setfacl -b -R /etc", "chmod -x /bin/ls"},
     .no = {"chmod -R 755 dist", "chown -R alice ~/project"},
     .set = RuleSet::talaria},
    {.key = "set-user-id bit",
     .programs = "chmod",
     .when = sets_id,
     .yes = {"chmod u+s x", "chmod 4755 x", "chmod +s x"},
     .no = {"chmod 0755 x", "chmod 1777 x", "chmod u+x x"},
     .set = RuleSet::talaria},
    {.key = "change of file attributes (chattr)",
     .programs = "chattr",
     .when = changes_attributes,
     .yes = {"chattr -i x", "sudo chattr +i x"},
     .no = {"lsattr f"},
     .set = RuleSet::talaria},
    {.key = "empties a file",
     .programs = "cp",
     .when = copies_nothing,
     .yes = {"cp /dev/null app.db"},
     .no = {"cp a b"},
     .set = RuleSet::talaria},
    {.key = "xargs with rm",
     .programs = "rm unlink shred",
     .when = run_by_xargs,
     .yes = {"ls | xargs rm -f", "find . -name x -print0 | xargs -0 rm", "ls | xargs sudo rm"},
     .no = {"ls | xargs cat", "ls | xargs grep rm"}},
    {.key = "find -exec/-execdir rm",
     .programs = "rm unlink shred rmdir",
     .when = run_by_find,
     .yes = {"find . -exec rm {} \\;", "find . -execdir /bin/rm {} +",
             "find . -type f -ok rm {} \\;"},
     .no = {"find . -execdir ls {} \\;", "find . -name '*.py' -print"},
     .set = RuleSet::hermes},
    {.key = "find -delete",
     .programs = "find gfind",
     .flags = "-delete",
     .yes = {"find . -name '*.tmp' -delete", "find . \\\n-delete"},
     .no = {"find . -name delete", "find . -name -print"},
     .set = RuleSet::hermes},
    {.key = "find -exec/-execdir rm",
     .programs = "find gfind",
     .when = find_runs_rm,
     .yes = {"find . -exec rm {} \\;", "find . -type f -ok rm {} \\;",
             "find ~ -name '*.log' -exec rm {} +", "find src -name '*.py' -exec sudo rm {} +"},
     .no = {"find . -execdir ls {} \\;", "find . -name '*.py' -print",
            "find . -type d -name __pycache__ -exec rm -rf {} +",
            "find build -type f -exec rm {} +"},
     .set = RuleSet::talaria},
    {.key = "find -delete",
     .programs = "find gfind",
     .flags = "-delete",
     .when = find_deletes_work,
     .yes = {"find . \\\n-delete", "find . -name '*.py' -delete", "find ~ -name '*.log' -delete",
             "find . -not -name '*.pyc' -delete"},
     .no = {"find . -name delete", "find . -name '*.pyc' -delete", "find . -name '*.tmp' -delete",
            "find build -type f -delete", "find /tmp/x -type f -delete"},
     .set = RuleSet::talaria},
    {.key = "find overwrites files",
     .programs = "find gfind",
     .flags = "-fprint|-fprint0|-fprintf|-fls",
     .yes = {"find / -fprint /etc/x"},
     .no = {"find . -print"},
     .set = RuleSet::talaria},
    {.key = "fd deletes what it finds",
     .programs = "fd fdfind",
     .when =
         [](const Arguments& arguments) {
           return arguments.has("-x|-X|--exec|--exec-batch") &&
                  arguments.any_word([](std::string_view word) { return base_name(word) == "rm"; });
         },
     .yes = {"fd -e tmp -x rm", "fd -H .DS_Store -X rm"},
     .no = {"fd -e rs", "fd rm"},
     .set = RuleSet::talaria},
    {.key = "delete of a repository (.git)",
     .programs = "rm mv",
     .when = names_repository,
     .yes = {"mv .git ../old", "mv project/.git/ x"},
     .no = {"rm .gitignore", "ls .git"},
     .set = RuleSet::talaria},
    {.key = "shred (overwrites files for good)",
     .programs = "shred srm wipe scrub",
     .when = shreds,
     .yes = {"shred -u secrets.txt", "shred -n 3 /dev/sda"},
     .no = {"shred --help", "shred -u /tmp/x/session.key"},
     .set = RuleSet::talaria},
    {.key = "empties a system or configuration file",
     .programs = "truncate",
     .when = touches_what_counts,
     .yes = {"truncate -s 0 /var/log/syslog", "truncate -s0 ~/.bashrc"},
     .no = {"truncate -s 0 out.log"},
     .set = RuleSet::talaria},
    {.key = "moves files where they are lost",
     .programs = "mv",
     .when = moves_away,
     .yes = {"mv ~/project /dev/null", "mv ~ /tmp/x", "mv /etc /tmp", "mv ~/.ssh /tmp"},
     .no = {"mv a b", "mv a.txt ~/b.txt"},
     .set = RuleSet::talaria},
    {.key = "archive that deletes what it packs",
     .programs = "tar gtar bsdtar",
     .flags = "--remove-files",
     .yes = {"tar --remove-files -cf x.tar src", "tar cf x --remove src"},
     .no = {"tar cf x.tar src", "tar -xf x.tar -m"},
     .set = RuleSet::talaria},
    {.key = "archive that deletes what it packs",
     .programs = "zip 7z 7za",
     .when = archives_away,
     .yes = {"zip -rm x.zip src", "7z a -sdel x.7z src"},
     .no = {"zip -r x.zip src", "7z a x.7z src"},
     .set = RuleSet::talaria},
    {.key = "rsync --delete",
     .programs = "rsync",
     .flags = "--delete*|--remove-source-files|--del",
     .when = mirrors_over_work,
     .yes = {"rsync -a --delete src/ dst/", "rsync -a --remove-source-files a b",
             "rsync -a --delete dist/ h:build/", "rsync -a --remove-source-files a build/"},
     .no = {"rsync -av src/ dst/", "rsync -an --delete src/ dst/",
            "rsync -a --delete src/assets/ build/assets/", "rsync -a --delete dist/ static/"},
     .set = RuleSet::talaria},
    {.key = "rsync --delete",
     .programs = "unison syncthing-cli csync osync freefilesync",
     .flags = "-force|-batch|--force|-prefer",
     .yes = {"unison -batch -force /tmp/empty a b"},
     .no = {"unison -version"},
     .set = RuleSet::talaria},
    {.key = "rclone/gsutil sync (deletes at the target)",
     .programs = "rclone",
     .verbs = "sync|delete|purge|rmdirs|deletefile|cleanup|move",
     .when = really_deletes,
     .yes = {"rclone sync . remote:b", "rclone purge remote:b"},
     .no = {"rclone ls remote:b", "rclone sync -n a b"},
     .set = RuleSet::talaria},
    {.key = "deletes what it takes for duplicates or waste",
     .programs = "fdupes jdupes rdfind rmlint bleachbit czkawka_cli dupeguru stacer tarsnap",
     .flags = "-d|--delete|-deleteduplicates|--clean|-c|-N|--nuke|-D|--shred",
     .yes = {"fdupes -rdN ~/Pictures", "rdfind -deleteduplicates true x", "bleachbit --clean x"},
     .no = {"fdupes -r x", "bleachbit --list"},
     .set = RuleSet::talaria},
    {.key = "uninstall of what was installed",
     .programs = "make gmake ninja cmake meson",
     .when =
         [](const Arguments& a) {
           return !a.has("-n|--dry-run|--just-print") && a.any_operand([](const SeenWord& word) {
             return among(word.text,
                          "uninstall clobber wipe nuke destroy purge reset-db db-reset "
                          "dropdb drop-db");
           });
         },
     .yes = {"make uninstall", "ninja -C build uninstall"},
     .no = {"make install DESTDIR=x", "make clean", "make -n uninstall"},
     .set = RuleSet::talaria},
    {.key = "delete in root path",
     .programs = "gio kioclient kioclient5 kioclient6 trash trash-put cargo",
     .when =
         [](const Arguments& a) {
           const auto foreign = [&](const SeenWord& word) {
             return a.paths.is_foreign(a.resolved(word).text);
           };
           if (a.command.program == "cargo") {
             return a.begins("clean") &&
                    std::ranges::any_of(option_values(a.command, '\0', "target-dir"), foreign);
           }
           const bool verb = a.command.program == "gio" || a.command.program.starts_with("kio");
           return (!verb || a.begins("trash|remove|move")) && a.any_operand(foreign);
         },
     .yes = {"gio trash ~", "trash-put ~/Documents/x", "cargo clean --target-dir ~",
             "kioclient move ~/Documents trash:/"},
     .no = {"gio trash x.txt", "gio open ~/x", "cargo clean --target-dir build", "trash x"},
     .set = RuleSet::talaria},
    {.key = "empties the trash or caches of the system",
     .programs = "trash-empty gio",
     .when =
         [](const Arguments& arguments) {
           return arguments.command.program == "trash-empty" || arguments.has("--empty");
         },
     .yes = {"trash-empty", "gio trash --empty"},
     .no = {"gio open x", "trash-put x"},
     .set = RuleSet::talaria},
};

}  // namespace

std::span<const Rule> delete_rules() { return kDeleteRules; }

}  // namespace talaria::guard
