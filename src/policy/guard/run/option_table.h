// Options, variables and settings of git whose value is a command. A shell reads most of them; the
// rest is judged as if one did.
#pragma once

#include <cstdint>
#include <string_view>

namespace talaria::guard {

enum class Runs : std::uint8_t {
  text,       // its value
  filter,     // its value, which is fed with data
  elsewhere,  // its value, at another machine
  words,      // all that stands behind it
  empties,    // its value is a directory, and all that is in it goes
};

struct RunOption {
  std::string_view programs;  // between blanks
  std::string_view verbs;     // sub-commands it belongs to; "": there are none, or any
  char letter;                // '\0': there is no short one
  std::string_view name;      // "": there is no long one
  Runs runs = Runs::text;
  std::string_view keys = {};  // its value is KEY=command, of these keys, which are patterns
};

inline constexpr RunOption kRunOptions[] = {
    {"su script flock runuser sg capsh", "", 'c', "command"},
    {"su runuser", "", '\0', "session-command"},
    {"npx", "", 'c', "call"},
    {"npm", "exec x", 'c', "call"},
    {"mise", "exec x", 'c', "command"},
    {"doppler infisical", "run", '\0', "command"},
    {"nix-shell", "", '\0', "run"},
    {"nix-shell", "", '\0', "command"},
    {"nix", "develop shell", 'c', "command", Runs::words},
    {"tar gtar bsdtar", "", 'I', "use-compress-program", Runs::filter},
    {"tar gtar", "", '\0', "to-command", Runs::filter},
    {"tar gtar", "", 'F', "info-script"},
    {"tar gtar", "", '\0', "new-volume-script"},
    {"tar gtar", "", '\0', "rmt-command"},
    {"tar gtar", "", '\0', "rsh-command"},
    {"tar gtar bsdtar", "", '\0', "checkpoint-action", Runs::text, "exec"},
    {"ssh scp sftp", "", 'o', "", Runs::text,
     "proxycommand localcommand knownhostscommand matchexec"},
    {"systemd-run", "", 'p', "property", Runs::text, "exec*"},
    {"hg", "", '\0', "config", Runs::text, "alias.* hooks.*"},
    {"start-stop-daemon", "", 'x', "exec", Runs::words},
    {"start-stop-daemon", "", 'a', "startas", Runs::words},
    {"split gsplit", "", '\0', "filter", Runs::filter},
    {"sort gsort", "", '\0', "compress-program"},
    {"rsync", "", 'e', "rsh"},
    {"rsync", "", '\0', "rsync-path", Runs::elsewhere},
    {"scp sftp", "", 'S', ""},
    {"man", "", 'P', "pager"},
    {"zip", "", '\0', "unzip-command"},
    {"wget", "", '\0', "use-askpass"},
    {"tcpdump", "", 'z', ""},
    {"rg", "", '\0', "pre"},
    {"rg", "", '\0', "hostname-bin"},
    {"fzf sk", "", '\0', "preview"},
    {"hyperfine", "", 'p', "prepare"},
    {"hyperfine", "", 'c', "cleanup"},
    {"hyperfine", "", 's', "setup"},
    {"hyperfine", "", 'C', "conclude"},
    {"nodemon", "", 'x', "exec"},
    {"cargo", "watch", 's', "shell"},
    {"just", "", 'c', "command", Runs::words},
    {"sbatch", "", '\0', "wrap"},
    {"fd fdfind", "", 'x', "exec", Runs::words},
    {"fd fdfind", "", 'X', "exec-batch", Runs::words},
    {"xterm urxvt rxvt konsole alacritty st", "", 'e', "", Runs::words},
    {"gdb cgdb lldb", "", '\0', "args", Runs::words},
    {"pytest py.test", "", '\0', "basetemp", Runs::empties},
    {"uv", "cache", '\0', "cache-dir", Runs::empties},
    {"yarn", "cache", '\0', "cache-folder", Runs::empties},
    {"meson", "setup", '\0', "wipe", Runs::empties},
    {"git", "rebase", 'x', "exec"},
    {"git", "grep", 'O', "open-files-in-pager"},
    {"git", "difftool", 'x', "extcmd"},
    {"git", "clone", 'u', "upload-pack"},
    {"git", "fetch pull ls-remote fetch-pack", '\0', "upload-pack"},
    {"git", "push send-pack", '\0', "receive-pack"},
    {"git", "push send-pack archive fetch-pack", '\0', "exec"},
    {"git", "filter-branch", '\0', "env-filter"},
    {"git", "filter-branch", '\0', "tree-filter"},
    {"git", "filter-branch", '\0', "index-filter"},
    {"git", "filter-branch", '\0', "msg-filter"},
    {"git", "filter-branch", '\0', "commit-filter"},
    {"git", "send-email", '\0', "to-cmd"},
    {"git", "send-email", '\0', "cc-cmd"},
    {"git", "send-email", '\0', "sendmail-cmd"},
    {"ansible", "", 'a', "args", Runs::elsewhere},
    {"vagrant", "ssh", 'c', "command", Runs::elsewhere},
    {"gcloud", "compute", '\0', "command", Runs::elsewhere},
    {"doctl", "compute", '\0', "ssh-command", Runs::elsewhere},
    {"fly flyctl", "ssh", 'C', "command", Runs::elsewhere},
    {"az", "vm vmss", '\0', "scripts", Runs::elsewhere},
};

// Variables of the environment that some program runs the value of.
inline constexpr std::string_view kRunVariables =
    "EDITOR VISUAL PAGER MANPAGER BROWSER FCEDIT SUDO_EDITOR SYSTEMD_EDITOR SYSTEMD_PAGER "
    "GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_SSH_COMMAND GIT_SSH "
    "GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS GIT_PROXY_COMMAND RSYNC_RSH RSYNC_CONNECT_PROG CVS_RSH "
    "SVN_SSH SVN_EDITOR HGEDITOR KUBE_EDITOR KUBECTL_EXTERNAL_DIFF LESSOPEN LESSCLOSE PSQL_EDITOR "
    "PSQL_PAGER AWS_PAGER GH_PAGER GH_EDITOR GH_BROWSER BAT_PAGER DELTA_PAGER FZF_DEFAULT_COMMAND "
    "RUSTC RUSTDOC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_RUSTC_WRAPPER "
    "CMAKE_C_COMPILER_LAUNCHER "
    "CMAKE_CXX_COMPILER_LAUNCHER PROMPT_COMMAND";

// Variables that name a tool, which make and its like run.
inline constexpr std::string_view kToolVariables = "CC CXX CPP LD AR AS FC LEX YACC HOSTCC HOSTCXX";

// How the names of variables begin that rules are about.
inline constexpr std::string_view kWatchedStarts[] = {"HERMES_",
                                                      "TALARIA_",
                                                      "TERMINAL_",
                                                      "LD_",
                                                      "DYLD_",
                                                      "BASH_ENV",
                                                      "NODE_OPTIONS",
                                                      "PERL5",
                                                      "RUBYOPT",
                                                      "PYTHONSTARTUP",
                                                      "PYTHONBREAKPOINT",
                                                      "PYTEST_PLUGINS",
                                                      "LUA_INIT",
                                                      "MAKEFILES",
                                                      "GCONV_PATH",
                                                      "R_PROFILE",
                                                      "GIT_CONFIG",
                                                      "GIT_EXEC_PATH",
                                                      "GIT_TEMPLATE_DIR",
                                                      "GIT_WORK_TREE",
                                                      "GIT_DIR",
                                                      "GIT_TRACE",
                                                      "GOMODCACHE",
                                                      "GOCACHE",
                                                      "GOBIN",
                                                      "CARGO_TARGET_DIR",
                                                      "COVERAGE_FILE",
                                                      "YARN_CACHE_FOLDER",
                                                      "SSLKEYLOGFILE",
                                                      "LLVM_PROFILE_FILE",
                                                      "NODE_V8_COVERAGE",
                                                      "DOCKER_HOST",
                                                      "JAVA_TOOL_OPTIONS",
                                                      "_JAVA_OPTIONS",
                                                      "JDK_JAVA_",
                                                      "MAVEN_OPTS",
                                                      "GRADLE_OPTS",
                                                      "GOFLAGS",
                                                      "GOPROXY",
                                                      "PIP_",
                                                      "UV_",
                                                      "YARN_REGISTRY",
                                                      "CARGO_REGISTRIES_",
                                                      "BUNDLE_MIRROR_",
                                                      "npm_config_",
                                                      "NPM_CONFIG_",
                                                      "GLIBC_TUNABLES",
                                                      "RAILS_ENV",
                                                      "RACK_ENV",
                                                      "MIX_ENV",
                                                      "DATABASE_URL",
                                                      "DB_URL",
                                                      "PGHOST",
                                                      "PGSERVICE",
                                                      "MYSQL_HOST",
                                                      "NODE_ENV",
                                                      "APP_ENV",
                                                      "FLASK_ENV",
                                                      "DJANGO_SETTINGS_MODULE",
                                                      "PRISMA_",
                                                      "FLYWAY_URL",
                                                      "LIQUIBASE_COMMAND_URL",
                                                      "SPRING_PROFILES_ACTIVE"};

// Variables that hold more options for a program: the value is judged as that program's.
struct OptionVariable {
  std::string_view name;
  std::string_view program;
};
inline constexpr OptionVariable kOptionVariables[] = {
    {"TAR_OPTIONS", "tar"},   {"MAKEFLAGS", "make"},
    {"GNUMAKEFLAGS", "make"}, {"GIT_CONFIG_PARAMETERS", "git -c"},
    {"PERL5OPT", "perl"},
};

// Settings of git that it runs the value of, in lower case. "*" stands for any part of a name.
inline constexpr std::string_view kRunSettings[] = {
    "core.pager",
    "core.editor",
    "core.sshcommand",
    "core.askpass",
    "core.fsmonitor",
    "core.gitproxy",
    "sequence.editor",
    "diff.external",
    "gpg.program",
    "gpg.*.program",
    "gpg.*.defaultkeycommand",
    "credential.helper",
    "credential.*.helper",
    "uploadpack.packobjectshook",
    "interactive.difffilter",
    "core.alternaterefscommand",
    "pager.*",
    "*.textconv",
    "diff.*.command",
    "merge.*.driver",
    "mergetool.*.cmd",
    "mergetool.*.path",
    "difftool.*.cmd",
    "difftool.*.path",
    "filter.*.clean",
    "filter.*.smudge",
    "filter.*.process",
    "remote.*.uploadpack",
    "remote.*.receivepack",
    "browser.*.cmd",
    "man.*.cmd",
    "trailer.*.command",
    "trailer.*.cmd",
    "guitool.*.cmd",
    "submodule.*.update",
    "tar.*.command",
    "hook.*.command",
    "sendemail.sendmailcmd",
};

}  // namespace talaria::guard
