// Deleting files, and making them accessible to everybody.
#include <algorithm>

#include "policy/guard/rules/rule.h"

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

bool run_by_xargs(const Arguments& arguments) {
  return among("xargs", arguments.command.run_by) || among("parallel", arguments.command.run_by);
}
bool run_by_find(const Arguments& arguments) { return among("find", arguments.command.run_by); }

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

bool shreds(const Arguments& arguments) { return !arguments.operands().empty(); }

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
        return arguments.paths.is_ssh(arguments.resolved(*word).text);
      });
  return keys || arguments.verb(arguments.operands().size() - 1) == "/dev/null" ||
         (arguments.operands().size() > 1 &&
          (arguments.paths.is_home(*arguments.operands()[0]) ||
           arguments.paths.is_root(*arguments.operands()[0]) ||
           arguments.paths.is_system_directory(*arguments.operands()[0])));
}

bool really_deletes(const Arguments& arguments) { return !arguments.has("-n|--dry-run"); }

constexpr Rule kDeleteRules[] = {
    {.key = "delete in root path",
     .programs = "rm rimraf",
     .when = deletes_absolute,
     .yes = {"rm /tmp/x", "rm -f -v /var/log/a", "sudo rm -rf /tmp",
             "find . -execdir /bin/rm /x \\;", "npx rimraf /srv/x"},
     .no = {"rm notes.txt", "rm -f ./a/b", "rm ~/notes.txt", "npx rimraf dist"}},
    {.key = "recursive delete",
     .programs = "rm",
     .when = recursive,
     .yes = {"rm -r d", "rm -fr .", "rm -irf d", "rm -R d", "rm d -rf", "rm --recursive d"},
     .no = {"rm readme.txt", "rm -f requirements.txt", "rm -v report.csv", "docker rm -f c",
            "rm --force x", "rm -- -r"}},
    {.key = "recursive delete",
     .programs = "git",
     .verbs = "rm",
     .when = git_rm_recursive,
     .yes = {"git rm -r foo"},
     .no = {"git rm foo", "git rm -r --cached foo"}},
    {.key = "delete of a file the system or its access needs",
     .programs = "unlink rmdir",
     .when = touches_what_counts,
     .yes = {"unlink /etc/passwd", "unlink ~/.ssh/authorized_keys", "rmdir /usr/local/lib"},
     .no = {"unlink link", "rmdir build", "rmdir /tmp/x"}},
    {.key = "delete of a file the system or its access needs",
     .programs = "rm",
     .when =
         [](const Arguments& a) {
           return a.any_operand([&](const SeenWord& word) {
             const std::string path = a.resolved(word).text;
             return (a.paths.is_user_sensitive(path) || a.paths.is_hermes_config(path)) &&
                    base_name(path) != "known_hosts";
           });
         },
     .yes = {"rm ~/.ssh/id_ed25519", "rm -f ~/.bashrc", "rm ~/.aws/credentials"},
     .no = {"rm notes.txt", "rm ~/.ssh/known_hosts", "rm .bashrc.bak"}},
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
     .no = {"chmod -R 755 dist", "chown -R alice ~/project"}},
    {.key = "set-user-id bit",
     .programs = "chmod",
     .when = sets_id,
     .yes = {"chmod u+s x", "chmod 4755 x", "chmod +s x"},
     .no = {"chmod 0755 x", "chmod 1777 x", "chmod u+x x"}},
    {.key = "change of file attributes (chattr)",
     .programs = "chattr",
     .when = changes_attributes,
     .yes = {"chattr -i x", "sudo chattr +i x"},
     .no = {"lsattr f"}},
    {.key = "empties a file",
     .programs = "cp",
     .when = copies_nothing,
     .yes = {"cp /dev/null app.db"},
     .no = {"cp a b"}},
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
     .no = {"find . -execdir ls {} \\;", "find . -name '*.py' -print"}},
    {.key = "find -delete",
     .programs = "find gfind",
     .flags = "-delete",
     .yes = {"find . -name '*.tmp' -delete", "find . \\\n-delete"},
     .no = {"find . -name delete", "find . -name -print"}},
    {.key = "find overwrites files",
     .programs = "find gfind",
     .flags = "-fprint|-fprint0|-fprintf|-fls",
     .yes = {"find / -fprint /etc/x"},
     .no = {"find . -print"}},
    {.key = "fd deletes what it finds",
     .programs = "fd fdfind",
     .when =
         [](const Arguments& arguments) {
           return arguments.has("-x|-X|--exec|--exec-batch") &&
                  arguments.any_word([](std::string_view word) { return base_name(word) == "rm"; });
         },
     .yes = {"fd -e tmp -x rm", "fd -H .DS_Store -X rm"},
     .no = {"fd -e rs", "fd rm"}},
    {.key = "delete of a repository (.git)",
     .programs = "rm mv",
     .when = names_repository,
     .yes = {"mv .git ../old", "mv project/.git/ x"},
     .no = {"rm .gitignore", "ls .git"}},
    {.key = "shred (overwrites files for good)",
     .programs = "shred srm wipe scrub",
     .when = shreds,
     .yes = {"shred -u secrets.txt", "shred -n 3 /dev/sda"},
     .no = {"shred --help"}},
    {.key = "empties a system or configuration file",
     .programs = "truncate",
     .when = touches_what_counts,
     .yes = {"truncate -s 0 /var/log/syslog", "truncate -s0 ~/.bashrc"},
     .no = {"truncate -s 0 out.log"}},
    {.key = "moves files where they are lost",
     .programs = "mv",
     .when = moves_away,
     .yes = {"mv ~/project /dev/null", "mv ~ /tmp/x", "mv /etc /tmp", "mv ~/.ssh /tmp"},
     .no = {"mv a b", "mv a.txt ~/b.txt"}},
    {.key = "archive that deletes what it packs",
     .programs = "tar gtar bsdtar",
     .flags = "--remove-files",
     .yes = {"tar --remove-files -cf x.tar src", "tar cf x --remove src"},
     .no = {"tar cf x.tar src", "tar -xf x.tar -m"}},
    {.key = "archive that deletes what it packs",
     .programs = "zip 7z 7za",
     .when = archives_away,
     .yes = {"zip -rm x.zip src", "7z a -sdel x.7z src"},
     .no = {"zip -r x.zip src", "7z a x.7z src"}},
    {.key = "rsync --delete",
     .programs = "rsync",
     .flags = "--delete*|--remove-source-files|--del",
     .when = really_deletes,
     .yes = {"rsync -a --delete src/ dst/", "rsync -a --remove-source-files a b"},
     .no = {"rsync -av src/ dst/", "rsync -an --delete src/ dst/"}},
    {.key = "rclone/gsutil sync (deletes at the target)",
     .programs = "rclone",
     .verbs = "sync|delete|purge|rmdirs|deletefile|cleanup|move",
     .when = really_deletes,
     .yes = {"rclone sync . remote:b", "rclone purge remote:b"},
     .no = {"rclone ls remote:b", "rclone sync -n a b"}},
    {.key = "empties the trash or caches of the system",
     .programs = "trash-empty gio",
     .when =
         [](const Arguments& arguments) {
           return arguments.command.program == "trash-empty" || arguments.has("--empty");
         },
     .yes = {"trash-empty", "gio trash --empty"},
     .no = {"gio open x", "trash-put x"}},
};

}  // namespace

std::span<const Rule> delete_rules() { return kDeleteRules; }

}  // namespace talaria::guard
