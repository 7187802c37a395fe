// Commands that run the rest of their words: the one table of them.
#pragma once

#include <string_view>

namespace talaria::guard {

// How a wrapper reads its words, besides its options.
inline constexpr unsigned kApart = 1;        // with another root, user or environment than its own
inline constexpr unsigned kElsewhere = 2;    // on another machine or in a container
inline constexpr unsigned kText = 4;         // the words are joined, and a shell reads them
inline constexpr unsigned kAssignments = 8;  // NAME=value may stand before the command
inline constexpr unsigned kDashes = 16;      // the command stands behind "--", if there is one
inline constexpr unsigned kAnyWord = 32;  // its options are too many: any word may be the command
inline constexpr unsigned kMayLack = 64;  // its operand is a number or a machine, or is missing
inline constexpr unsigned kHost = kText | kApart | kElsewhere;

struct Wrapper {
  std::string_view name;  // or names, between blanks; "ld-linux*": whatever begins so
  unsigned how = 0;
  std::size_t operands = 0;            // words of its own before the command
  std::string_view short_values = {};  // letters of the options that take a value
  std::string_view long_values = {};   // names of those, between blanks
  std::string_view verbs = {};         // sub-commands that run something, between blanks
  std::string_view only_looks = {};    // letters of the options with which it runs nothing
  std::string_view pair_values = {};   // names of the options that take two values

  bool is(unsigned one) const { return (how & one) != 0; }
};

inline constexpr Wrapper kWrappers[] = {
    // other users and rights
    {"sudo", kApart | kAssignments, 0, "ughpCTRDUrtac",
     "user group host prompt close-from command-timeout chroot chdir other-user role type", "",
     "lvKeV"},
    {"doas", kApart, 0, "uCa", "", "", "L"},
    {"pkexec", kApart, 0, "", "user"},
    {"runuser", kApart, 0, "ugGsw", "user group supp-group shell"},
    {"sg", kText | kApart, 1, "c", "command"},
    {"setpriv", kApart, 0, "",
     "reuid regid groups inh-caps ambient-caps bounding-set securebits pdeathsig selinux-label "
     "apparmor-profile"},
    {"chroot", kApart, 1, "", "userspec groups"},
    {"unshare", kApart, 0, "RwSGl",
     "root wd setuid setgid propagation setgroups map-user map-group map-users map-groups boottime "
     "monotonic load-interp"},
    {"nsenter", kApart, 0, "tSGW", "target setuid setgid wdns wd"},
    {"bwrap", kApart, 0, "",
     "args argv0 bind-fd proc dev tmpfs mqueue dir perms size chdir uid gid hostname unsetenv "
     "lock-file sync-fd seccomp exec-label file-label block-fd info-fd cap-add cap-drop remount-ro "
     "userns userns2 pidns",
     "", "",
     "bind ro-bind dev-bind bind-try ro-bind-try dev-bind-try symlink setenv file bind-data "
     "ro-bind-data chmod"},
    {"proot firejail schroot systemd-nspawn fakechroot", kApart | kAnyWord},
    {"arch-chroot", kApart | kAnyWord, 1},
    {"toolbox distrobox", kApart | kAnyWord | kDashes, 0, "", "", "run enter"},
    {"fakeroot", 0, 0, "lsib", "lib faked"},
    {"systemd-run", kApart, 0, "puEHM",
     "unit property description slice uid gid nice setenv host machine working-directory "
     "service-type on-active on-boot on-startup on-unit-active on-unit-inactive on-calendar "
     "timer-property path-property socket-property"},
    {"gosu su-exec", kApart, 1},
    {"ip", kApart, 2, "", "", "netns vrf"},  // ip netns exec NAME command
    {"busybox toybox flatpak-spawn", kApart},
    // environment, priority, time
    {"env", kAssignments, 0, "uCPaS", "unset chdir argv0 split-string"},
    {"softlimit", 0, 0, "acdflmoprst"},
    {"nice", 0, 0, "n", "adjustment"},
    {"ionice", 0, 0, "cnpPu", "class classdata pid pgid uid"},
    {"time gtime", 0, 0, "fo", "format output"},
    {"timeout gtimeout", 0, 1, "ks", "kill-after signal"},
    {"stdbuf", 0, 0, "ioe", "input output error"},
    {"taskset", 0, 1, "", "", "", "p"},
    {"numactl", 0, 0, "iNCmpPw", "interleave cpunodebind physcpubind membind preferred"},
    {"chrt", kMayLack, 1, "TPD", "sched-runtime sched-period sched-deadline", "", "pm"},
    {"uclampset", 0, 0, "mM"},
    {"prlimit", 0, 0, "p", "pid"},
    {"choom", 0, 0, "np", "adjust pid"},
    {"cpulimit", 0, 0, "lpePc", "limit pid exe path"},
    {"setarch", kMayLack, 1},
    {"flock", 0, 1, "wEc", "timeout wait conflict-exit-code command"},
    {"faketime cgexec chpst srun mpirun mpiexec", kAnyWord},
    {"nohup setsid builtin linux32 linux64 i386 x86_64 uname26 eatmydata catchsegv valgrind "
     "unbuffer chronic torsocks torify entr"},
    {"envdir", 0, 1},
    // of the shell
    {"exec", 0, 0, "a"},
    {"command", 0, 0, "", "", "", "vV"},
    {"ld-linux* ld-musl* ld.so", 0, 0, "", "library-path preload audit inhibit-rpath argv0"},
    {"qemu-x86_64* qemu-aarch64* qemu-i386* qemu-arm*", kApart | kAnyWord},
    // looking on
    {"strace", 0, 0, "eopsuEaIOSPbXU", "output trace signal quiet attach user env string-limit"},
    {"ltrace", 0, 0, "eopsunaAlxwFD", "output"},
    {"perf", kAnyWord, 0, "", "", "stat record trace mem c2c sched kmem lock"},
    {"rr", kAnyWord, 0, "", "", "record"},
    {"heaptrack rlwrap retry daemonize daemon env-cmd", kAnyWord},
    {"watch", kText, 0, "nq", "interval equexit"},
    {"watchexec", kText, 0, "wWeifdsojE",
     "watch exts ignore filter debounce signal on-busy-update shell env workdir project-origin "
     "stop-signal stop-timeout delay-run poll"},
    // services and sessions
    {"systemd-inhibit", 0, 0, "", "what who why mode"},
    {"caffeinate", 0, 0, "tw"},
    {"dbus-run-session dbus-launch", 0, 0, "", "config-file dbus-daemon"},
    {"xvfb-run", 0, 0, "nsfepw", "server-num server-args auth-file error-file xauth-protocol wait"},
    {"ssh-agent", 0, 0, "atPE"},
    {"proxychains proxychains4", 0, 0, "f"},
    {"sshpass", 0, 0, "pfdP"},
    {"tini", 0, 0, "pe"},
    {"dumb-init", 0, 0, "r"},
    {"screen", kApart, 0, "ScethpTX"},  // -X stuff 'text'
    // environments of languages
    {"npx", 0, 0, "pwC", "package workspace cache userconfig shell prefix"},
    {"bunx", 0, 0, "p", "package"},
    {"uvx", 0, 0, "p", "from with python index-url index"},
    {"pipx", 0, 0, "", "spec python index-url pip-args", "run"},
    {"npm", 0, 0, "pwC", "package workspace prefix", "exec x"},
    {"pnpm", 0, 0, "CF", "filter dir package", "exec dlx"},
    {"yarn", 0, 0, "p", "cwd package", "exec dlx"},
    {"bun", 0, 0, "", "cwd", "x"},
    {"poetry", 0, 0, "CP", "directory project", "run"},
    {"uv", 0, 0, "pPfi",
     "with with-editable with-requirements python project directory group no-group only-group "
     "extra no-extra package env-file index index-url extra-index-url find-links color cache-dir "
     "config-file",
     "run"},
    {"pipenv", 0, 0, "", "", "run"},
    {"tox", 0, 0, "ec", "", "exec e"},
    {"pdm", 0, 0, "p", "project venv", "run"},
    {"rye", 0, 0, "", "pyproject", "run"},
    {"hatch", 0, 0, "e", "env project config", "run"},
    {"pixi", 0, 0, "e", "environment manifest-path", "run"},
    {"conda mamba", 0, 0, "np", "name prefix cwd", "run"},
    {"micromamba", kAnyWord, 0, "", "", "run"},
    {"bundle", 0, 0, "", "gemfile", "exec"},
    {"rbenv pyenv nodenv asdf", 0, 0, "", "", "exec"},
    {"rustup", 0, 1, "", "", "run"},
    {"fnm", 0, 0, "", "using", "exec"},
    {"volta", 0, 0, "", "node npm yarn pnpm env", "run"},
    {"mise", kDashes, 0, "cCEj", "cd env jobs", "exec x"},
    {"direnv", 0, 1, "", "", "exec"},
    {"guix", kDashes, 0, "", "", "shell environment"},
    {"opam", kDashes, 0, "", "switch root", "exec"},
    {"dotenv envconsul", kDashes | kAnyWord},
    {"dotenvx", kDashes, 0, "ef", "", "run"},
    {"cross-env", kAssignments},
    {"cross-env-shell", kAssignments | kText},
    {"op", kDashes, 0, "", "env-file", "run"},
    {"doppler", kDashes, 0, "pc", "project config", "run"},
    {"infisical", kDashes, 0, "", "", "run"},
    {"aws-vault chamber", kDashes, 1, "dt", "", "exec"},
    {"sops", kText, 1, "", "", "exec-env exec-file"},
    // other machines
    {"ssh slogin", kHost, 1, "bcDEeFIiJLlmOopQRSWwB"},
    {"pdsh dsh", kHost, 0, "wxgXftulSRPoFMm", "machine group file"},
    {"clush nodeset", kHost, 0, "wgxXlfotuOm",
     "hostfile group worker user fanout timeout options mode"},
    {"pssh parallel-ssh pslurp prsync", kHost, 0, "hHlptoeOxg",
     "hosts host user par timeout outdir errdir options extra-args"},
    {"mosh et autossh", kApart | kElsewhere, 1, "pM", "ssh port client server predict family"},
    {"rsh remsh rexec krsh", kHost, 1, "lpk"},
    {"fab", kHost | kDashes, 0, "Hif"},
    {"knife", kHost, 1, "xipPaGNACs", "", "ssh"},
    {"multipass limactl colima incus machinectl sbx devcontainer", kApart | kElsewhere, 1, "unEc",
     "workdir working-directory user uid env workspace-folder", "exec shell ssh"},
    {"heroku railway scalingo", kHost, 0, "arse", "app", "run"},
    {"adb", kHost, 0, "stHP", "", "shell"},
    {"wsl wsl.exe", kHost, 0, "du", "distribution user cd exec"},
    {"juju", kHost, 0, "m", "unit application", "exec run ssh"},
    {"eb cf", kHost | kDashes, 0, "c", "", "ssh"},
};

// Options that say in which directory a program runs what it runs. Its words may be those of
// kWrappers, or of run/option_table.h.
struct DirectoryOption {
  std::string_view programs;  // between blanks
  char letter;                // '\0': there is no short one
  std::string_view name;      // "": there is no long one
};
inline constexpr DirectoryOption kDirectoryOptions[] = {
    {"env", 'C', "chdir"},
    {"sudo", 'D', "chdir"},
    {"unshare nsenter", 'w', "wd"},
    {"systemd-run", '\0', "working-directory"},
    {"start-stop-daemon", 'd', "chdir"},
    {"bwrap", '\0', "chdir"},
    {"parallel", '\0', "wd workdir"},
    {"watchexec", '\0', "workdir"},
    {"make gmake", 'C', "directory"},
    {"just", 'd', "working-directory"},
    {"npm npx", 'C', "prefix"},
    {"pnpm", 'C', "dir"},
    {"yarn bun conda mamba", '\0', "cwd"},
    {"poetry", 'C', "directory"},
    {"uv", '\0', "directory"},
    {"pdm", 'p', "project"},
    {"mise", 'C', "cd"},
};

}  // namespace talaria::guard
