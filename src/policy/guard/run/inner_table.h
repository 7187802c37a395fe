// Commands that run the rest of their words.
#pragma once

#include <span>
#include <string_view>

namespace talaria {

struct Wrapper {
  std::string_view name;
  std::string_view short_values = "";  // letters of the options that take a value
  std::string_view long_values = "";   // names of those, between blanks
  int operands = 0;                    // words of its own before the command
  bool assignments = false;            // NAME=value may stand before the command
  std::string_view only_looks = "";    // letters of the options with which it runs nothing
};

inline constexpr Wrapper kWrappers[] = {
    {.name = "sudo",
     .short_values = "ughpCTRDUrtac",
     .long_values =
         "user group host prompt close-from command-timeout chroot chdir other-user role type",
     .assignments = true,
     .only_looks = "lvKeV"},
    {.name = "doas", .short_values = "uCa", .only_looks = "L"},
    {.name = "pkexec", .long_values = "user"},
    {.name = "env", .short_values = "uCP", .long_values = "unset chdir", .assignments = true},
    {.name = "nohup"},
    {.name = "setsid"},
    {.name = "nice", .short_values = "n", .long_values = "adjustment"},
    {.name = "ionice", .short_values = "cnpPu", .long_values = "class classdata pid pgid uid"},
    {.name = "time", .short_values = "fo", .long_values = "format output"},
    {.name = "gtime", .short_values = "fo", .long_values = "format output"},
    {.name = "timeout", .short_values = "ks", .long_values = "kill-after signal", .operands = 1},
    {.name = "gtimeout", .short_values = "ks", .long_values = "kill-after signal", .operands = 1},
    {.name = "stdbuf", .short_values = "ioe", .long_values = "input output error"},
    {.name = "exec", .short_values = "a"},
    {.name = "command", .only_looks = "vV"},
    {.name = "builtin"},
    {.name = "busybox"},
    {.name = "toybox"},
    {.name = "chroot", .long_values = "userspec groups", .operands = 1},
    {.name = "unshare", .short_values = "RwSGl", .long_values = "root wd setuid setgid"},
    {.name = "nsenter", .short_values = "tSGr", .long_values = "target setuid setgid"},
    {.name = "setpriv", .long_values = "reuid regid groups"},
    {.name = "runuser", .short_values = "ug", .long_values = "user group"},
    {.name = "strace", .short_values = "eopsuEaIOSPbX", .long_values = "output trace"},
    {.name = "ltrace", .short_values = "eopsunaAlx", .long_values = "output"},
    {.name = "valgrind"},
    {.name = "taskset", .operands = 1},
    {.name = "numactl", .short_values = "iNCmpl"},
    {.name = "chrt", .short_values = "TPD", .operands = 1},
    {.name = "prlimit", .short_values = "p"},
    {.name = "cpulimit", .short_values = "lpe"},
    {.name = "systemd-run",
     .short_values = "pupEHMt",
     .long_values =
         "unit property description slice uid gid setenv host machine working-directory"},
    {.name = "systemd-inhibit", .long_values = "what who why mode"},
    {.name = "caffeinate", .short_values = "tw"},
    {.name = "unbuffer"},
    {.name = "chronic"},
    {.name = "proxychains", .short_values = "f"},
    {.name = "proxychains4", .short_values = "f"},
    {.name = "torsocks"},
    {.name = "firejail"},
    {.name = "fakeroot", .short_values = "lsi"},
    {.name = "faketime", .short_values = "f", .operands = 1},
    {.name = "xvfb-run", .short_values = "nsfepw", .long_values = "server-num server-args"},
    {.name = "dbus-run-session", .long_values = "config-file"},
    {.name = "ssh-agent", .short_values = "at"},
    {.name = "entr"},
    {.name = "npx", .short_values = "p", .long_values = "package"},
    {.name = "bunx"},
    {.name = "retry"},
    {.name = "sshpass", .short_values = "pfdP"},
};

}  // namespace talaria
