// What is refused on a machine that is not isolated, whatever anybody says. Keep it short.
#include <algorithm>

#include "policy/guard/rules/destinations.h"
#include "policy/guard/rules/rule.h"
#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

// find ... -delete, or -exec rm
bool deletes_what_it_finds(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (command.word(i) == "-delete") return true;
    if (!among(command.word(i), "-exec -execdir -ok -okdir")) continue;
    if (among(base_name(command.word(i + 1)), "sudo doas command env")) ++i;
    if (among(base_name(command.word(i + 1)), "rm unlink shred")) return true;
  }
  return false;
}

// Files or directories alone are as good as all. What was chosen before an -o is another choice.
bool chooses(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  const bool removes_trees = arguments.has("-rf|-fr|-r|-R");
  std::size_t from = 1;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (among(command.word(i), "-o -or")) from = i;
    if (command.word(i) == ")") from = 1;
  }
  for (std::size_t i = from; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (word == "-type" && !among(command.word(i + 1), "f d f,d d,f")) return true;
    if (among(word, "-name -iname -path") && command.word(i + 1) == "*") continue;
    if (word == "-maxdepth" && command.word(i + 1) != "0" && removes_trees) continue;
    if (among(word,
              "-name -iname -path -ipath -regex -iregex -xtype -size -mtime -atime -ctime -mmin "
              "-amin -cmin -newer -user -group -nouser -nogroup -empty -wholename -maxdepth -perm "
              "-inum -links -samefile -lname -ilname")) {
      return true;
    }
  }
  return false;
}

bool deletes_everything_found(const Arguments& arguments) {
  return deletes_what_it_finds(arguments) && !chooses(arguments);
}

bool clears(const Arguments& arguments, bool (PathKinds::*test)(const SeenWord&) const) {
  const auto& words = arguments.operands();
  if (arguments.command.program == "find") {
    const SeenWord start = words.empty() ? SeenWord{"."} : *words.front();
    return deletes_everything_found(arguments) &&
           (arguments.paths.*test)(arguments.resolved(start));
  }
  return std::ranges::any_of(words, [&](const SeenWord* word) {
    return (arguments.paths.*test)(arguments.resolved(*word));
  });
}

bool clears_root(const Arguments& arguments) { return clears(arguments, &PathKinds::is_root); }
bool clears_system(const Arguments& arguments) {
  return clears(arguments, &PathKinds::is_system_directory);
}
bool clears_home(const Arguments& arguments) { return clears(arguments, &PathKinds::is_home); }

// docker run -v ~:/h alpine rm -rf /h
bool clears_mounted(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  const auto remover = std::ranges::find_if(
      command.words, [](const SeenWord& word) { return base_name(word.text) == "rm"; });
  return std::ranges::any_of(option_values(command, 'v', "volume"), [&](const SeenWord& volume) {
    std::string_view to = volume.text;
    const SeenWord from{std::string(next_word(to, ':'))};
    const bool read_only = to.ends_with(":ro");
    to = to.substr(0, to.find(':'));
    const bool precious = arguments.paths.is_home(from) || arguments.paths.is_root(from) ||
                          arguments.paths.is_system_directory(from);
    return precious && !read_only && !to.empty() &&
           std::any_of(remover, command.words.end(), [&](const SeenWord& word) {
             return word.text == to || word.text == std::string(to) + "/*" ||
                    word.text == std::string(to) + "/";
           });
  });
}

bool is_not_a_question(const Arguments& arguments) {
  return !arguments.has("--help|--version|-V") || !arguments.operands().empty();
}

bool formats(const Arguments& arguments) {
  return is_not_a_question(arguments) && !formats_temporary_file(arguments);
}

bool writes_disk(const Arguments& arguments) {
  return arguments.any_word([&](std::string_view word) {
    return word.starts_with("of=") &&
           is_block_device(arguments.resolved({std::string(word.substr(3))}).text);
  });
}

// Programs that erase the disk they are given, with the sub-command or the option that does so.
struct Eraser {
  std::string_view programs;
  std::string_view verbs;    // one of them among the operands; "": none needed
  std::string_view options;  // one of them; "": none needed
};
constexpr Eraser kErasers[] = {
    {"blkdiscard mkswap shred nwipe pvcreate vgcreate", "", ""},
    {"wipefs", "", "-a|--all"},
    {"badblocks", "", "-w"},
    {"nvme", "format sanitize", ""},
    {"hdparm", "", "--security-erase*"},
    {"cryptsetup", "luksFormat luksErase erase format", ""},
    {"sgdisk", "", "-Z|-z|--zap*"},
    {"parted", "mklabel mktable", ""},
};

bool erases_disk(const Arguments& arguments) {
  const auto is_disk = [&](const SeenWord& word) {
    return is_block_device(arguments.resolved(word).text);
  };
  const std::string& program = arguments.command.program;
  const auto& words = arguments.operands();
  if (program == "ddrescue") return words.size() > 1 && is_disk(*words[1]);
  if (program == "sfdisk") {  // without numbers of partitions: all of them
    return arguments.has("--delete") && words.size() == 1 && is_disk(*words[0]);
  }
  if (program == "diskutil") {  // disk2, /dev/disk2
    const std::string verb = lower_case(arguments.verb(0));
    return among(verb, "erasedisk zerodisk randomdisk") ||
           (verb == "secureerase" && words.size() > 2);
  }
  if (program == "sg_format") return has_operand(arguments) && arguments.has("-F|--format*");
  if (program == "tee") return arguments.any_operand(is_disk);
  if (program == "fdisk") {  // o and g begin a new table, w writes it
    const std::string text =
        arguments.command.input.text ? "\n" + *arguments.command.input.text : "";
    return arguments.any_operand(is_disk) && text.contains("\nw") &&
           (text.contains("\no\n") || text.contains("\ng\n"));
  }
  if (program == "cp") return words.size() > 1 && is_disk(*words.back());
  if (among(program, "curl wget sort"))
    return std::ranges::any_of(destinations(arguments), is_disk);
  if (program == "zpool" || program == "mdadm") {
    const bool makes = arguments.begins("create") || arguments.has("--create|-C");
    return makes && arguments.any_operand(is_disk);
  }
  if (program == "qemu-img") {
    return (arguments.verb(0) == "convert" && is_disk(*words.back())) || writes_disk(arguments);
  }
  const auto* const found = std::ranges::find_if(
      kErasers, [&](const Eraser& one) { return among(program, one.programs); });
  if (found == std::end(kErasers) || !arguments.any_operand(is_disk)) return false;
  if (!found->options.empty() && !arguments.has(found->options)) return false;
  return found->verbs.empty() || arguments.any_operand([&](const SeenWord& word) {
    return among(word.text, found->verbs);
  });
}

// b, c and o reboot, crash and switch off; h, l, m, p, s, t and w only print or write to disk
bool triggers_sysrq(const Arguments& arguments) {
  const auto is_trigger = [&](std::string_view path) { return path == "/proc/sysrq-trigger"; };
  const bool harmless = arguments.command.program == "echo" && arguments.operands().size() == 1 &&
                        among(arguments.verb(0), "h l m p s t w");
  if (arguments.writes_to(is_trigger)) return !harmless;
  const std::string& program = arguments.command.program;
  return (program == "tee" || program == "cp" || program == "dd") &&
         std::ranges::any_of(destinations(arguments),
                             [&](const SeenWord& word) { return is_trigger(word.text); });
}

bool reboots_over_bus(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    return among(word.substr(word.find_last_of('.') + 1),
                 "Reboot PowerOff Halt KExec SoftReboot RebootWithFlags PowerOffWithFlags "
                 "HaltWithFlags");
  });
}

bool redirects_to_disk(const Arguments& arguments) {
  return std::ranges::any_of(arguments.command.redirects, [&](const SeenRedirect& redirect) {
    return redirect.writes() && is_block_device(arguments.resolved(redirect.target).text);
  });
}

// -1, -01
bool is_everyone(std::string_view word) {
  if (!word.starts_with('-')) return false;
  word.remove_prefix(std::min(word.find_first_not_of('0', 1), word.size()));
  return word == "1";
}

// kill [-s SIGNAL | -SIGNAL] -1; `kill -1 PID` sends SIGHUP to one process.
bool kills_all(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  if (command.words.size() == 2) return is_everyone(command.word(1));
  bool signal = false;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (is_everyone(word) && (signal || command.word(i - 1) == "--")) return true;
    if (word == "-s" || word == "-n") ++i;
    signal = signal || word.starts_with('-');
  }
  return false;
}

// systemctl reboot, and starting the target that does it
bool leaves_for_good(const Arguments& arguments) {
  constexpr std::string_view kVerbs = "poweroff reboot halt kexec soft-reboot";
  if (among(arguments.verb(0), kVerbs)) return true;
  return among(arguments.verb(0), "start isolate restart") &&
         arguments.any_operand([&](const SeenWord& word) {
           std::string_view unit = word.text;
           if (!unit.ends_with(".target")) return false;
           unit.remove_suffix(7);
           return among(unit, kVerbs) || among(unit, "runlevel0 runlevel6 ctrl-alt-del");
         });
}

bool ends_the_system(const Arguments& arguments) {
  return is_not_a_question(arguments) && !arguments.has("-c") && !arguments.has("--help");
}

constexpr Rule kHardlineRules[] = {
    {.key = "recursive delete of root filesystem",
     .rule_class = RuleClass::hardline,
     .programs = "rm find rimraf",
     .when = clears_root,
     .yes = {"rm -rf /", "rm -fr /*", "/bin/rm -r -f -- /", "\"rm\" -rf \"/\"", "cd / && rm -rf *",
             "find / -type f -exec rm -f {} +"},
     .no = {"rm -rf /tmp/foo", "rm -rf /tmp/*", "rm foo.txt", "find / -name core -delete",
            "find / -type l -delete", "find / -exec ls {} +"}},
    {.key = "recursive delete of system directory",
     .rule_class = RuleClass::hardline,
     .programs = "rm find rimraf",
     .when = clears_system,
     .yes = {"rm -rf /home", "rm -rf /etc/*", "rm /etc", "rm -rf /home/", "rm -rf /*bin"},
     .no = {"rm -rf /home/user/scratch", "rm -rf some/path", "rm -rf /var/tmp/x", "rm -rf /tmp*",
            "rm -rf '/e*'"}},
    {.key = "recursive delete of home directory",
     .rule_class = RuleClass::hardline,
     .programs = "rm find rimraf srm wipe",
     .when = clears_home,
     .yes = {"rm -rf ~", "rm -rf ~/", "rm -rf ~/*", "rm -rf $HOME", "rm -rf ${HOME}",
             "rm -rf \"$HOME\"/*"},
     .no = {"rm -rf ~/Downloads/old", "rm -rf $HOME/tmp"}},
    {.key = "recursive delete of a directory that a container is given",
     .rule_class = RuleClass::hardline,
     .programs = "docker podman nerdctl",
     .verbs = "run",
     .when = clears_mounted,
     .yes = {"docker run -v ~:/h alpine rm -rf /h", "docker run --rm -v /:/h alpine rm -rf /h/*"},
     .no = {"docker run -v ~/data:/d alpine rm -rf /d/x", "docker run -v ~:/h:ro alpine rm -rf /h",
            "docker run alpine rm -rf /h", "docker run -v ~:/h alpine ls /h"}},
    {.key = "format filesystem (mkfs)",
     .rule_class = RuleClass::hardline,
     .programs = "mkfs mkfs.* mke2fs newfs newfs_*",
     .when = formats,
     .yes = {"mkfs.ext4 /dev/sda1", "mkfs /dev/sdb", "sudo mkfs.xfs /dev/nvme0n1",
             "mk\"\"fs /dev/sdb"},
     .no = {"mkfs_helper --version", "echo mkfs", "man mkfs.ext4",
            "mkfs.ext4 -q -F /tmp/sparse.img"}},
    {.key = "dd to raw block device",
     .rule_class = RuleClass::hardline,
     .programs = "dd gdd dcfldd",
     .when = writes_disk,
     .yes = {"dd if=/dev/zero of=/dev/sda bs=1M", "dd of=/dev/nvme0n1"},
     .no = {"dd if=/dev/zero of=./image.bin", "dd if=/dev/zero of=/dev/null"}},
    {.key = "redirect to raw block device",
     .rule_class = RuleClass::hardline,
     .when = redirects_to_disk,
     .yes = {"echo bad > /dev/sda", "cat x >> /dev/vdb", "{ echo a; } >/dev/sdb"},
     .no = {"echo test > /dev/null", "ls /dev/sda"}},
    {.key = "disk erased",
     .rule_class = RuleClass::hardline,
     .programs =
         "blkdiscard mkswap shred nwipe sg_format wipefs badblocks nvme hdparm cryptsetup "
         "sgdisk sfdisk fdisk parted ddrescue cp tee qemu-img diskutil curl wget sort zpool "
         "mdadm pvcreate vgcreate",
     .when = erases_disk,
     .why = "erases a disk or writes over it",
     .yes = {"wipefs -a /dev/sda", "nvme format /dev/nvme0n1", "cp image.iso /dev/sdb",
             "parted /dev/sda mklabel gpt", "printf 'g\\nw\\n' | fdisk /dev/sda",
             "diskutil eraseDisk APFS x disk2"},
     .no = {"wipefs /dev/sda", "parted /dev/sda rm 2", "sfdisk --delete /dev/sda 2",
            "shred secret.txt", "cp /dev/sda disk.img", "mkswap swap.img"}},
    {.key = "system shutdown/reboot by the kernel or over the bus",
     .rule_class = RuleClass::hardline,
     .when = triggers_sysrq,
     .yes = {"echo b > /proc/sysrq-trigger", "echo c | sudo tee /proc/sysrq-trigger"},
     .no = {"echo s > /proc/sysrq-trigger", "cat /proc/sys/kernel/sysrq"},
     .elsewhere = false},
    {.key = "system shutdown/reboot by the kernel or over the bus",
     .rule_class = RuleClass::hardline,
     .programs = "busctl dbus-send gdbus",
     .when = reboots_over_bus,
     .yes = {"dbus-send --system --dest=org.freedesktop.login1 /org/freedesktop/login1 "
             "org.freedesktop.login1.Manager.Reboot boolean:true",
             "busctl call org.freedesktop.login1 /org/freedesktop/login1 "
             "org.freedesktop.login1.Manager PowerOff b true"},
     .no = {"busctl list", "dbus-send --session --dest=org.x /x org.x.Ping"},
     .elsewhere = false},
    {.key = "kill all processes",
     .rule_class = RuleClass::hardline,
     .programs = "kill",
     .when = kills_all,
     .yes = {"kill -9 -1", "kill -1", "kill -- -1", "kill -KILL -1", "kill -s 9 -1"},
     .no = {"kill -9 12345", "kill -HUP 1234", "pkill python", "kill -1 1234"}},
    {.key = "system shutdown/reboot",
     .rule_class = RuleClass::hardline,
     .programs = "shutdown reboot halt poweroff openrc-shutdown",
     .when = ends_the_system,
     .yes = {"reboot", "sudo -E shutdown now", "false || halt", "$(reboot)", "env FOO=1 reboot",
             "sudo -u root /sbin/reboot"},
     .no = {"echo reboot", "grep 'shutdown' logs.txt", "find . -name '*reboot*'", "./poweroff.sh",
            "shutdown -c"},
     .elsewhere = false},
    {.key = "system shutdown/reboot",
     .rule_class = RuleClass::hardline,
     .programs = "kexec",
     .flags = "-e|--exec",
     .yes = {"sudo kexec -e"},
     .no = {"kexec -l /boot/vmlinuz", "kexec --help"},
     .elsewhere = false},
    {.key = "init 0/6 (shutdown/reboot)",
     .rule_class = RuleClass::hardline,
     .programs = "init",
     .verbs = "0|6",
     .yes = {"init 0", "sudo init 6"},
     .no = {"init 3", "echo '# init 0 in comment'"},
     .elsewhere = false},
    {.key = "systemctl poweroff/reboot",
     .rule_class = RuleClass::hardline,
     .programs = "systemctl loginctl",
     .when = leaves_for_good,
     .yes = {"systemctl reboot", "sudo systemctl poweroff -i", "systemctl --force reboot",
             "systemctl start poweroff.target", "systemctl isolate reboot.target"},
     .no = {"systemctl restart nginx", "systemctl status reboot.target",
            "systemctl isolate rescue.target", "systemctl start multi-user.target"},
     .elsewhere = false},
    {.key = "telinit 0/6 (shutdown/reboot)",
     .rule_class = RuleClass::hardline,
     .programs = "telinit",
     .verbs = "0|6",
     .yes = {"telinit 0"},
     .no = {"telinit 3"},
     .elsewhere = false},
};

}  // namespace

std::span<const Rule> hardline_rules() { return kHardlineRules; }

}  // namespace talaria::guard
