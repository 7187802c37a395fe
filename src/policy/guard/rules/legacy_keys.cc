// Older versions of Hermes granted a rule by a piece of its regular expression.
#include "policy/guard/rules/rule.h"

namespace talaria::guard {
namespace {

struct LegacyKey {
  std::string_view key;
  std::string_view legacy;
};

constexpr LegacyKey kLegacyKeys[] = {
    {"delete in root path", R"(rm\s+(-[^\s]*\s+)*/)"},
    {"recursive delete", R"(rm\s+(-[^\s]*)?r)"},
    {"recursive delete", "recursive delete (long flag)"},
    {"recursive delete", R"(rm\s+--recursive)"},
    {"world/other-writable permissions", R"(chmod\s+(-[^\s]*\s+)*777)"},
    {"world/other-writable permissions", "world-writable permissions"},
    {"recursive world/other-writable (long flag)", R"(chmod\s+--recursive)"},
    {"recursive world/other-writable (long flag)", "recursive world-writable (long flag)"},
    {"recursive chown to root", R"(chown\s+(-[^\s]*)?R\s+root)"},
    {"recursive chown to root (long flag)", R"(chown\s+--recursive)"},
    {"format filesystem", "mkfs"},
    {"disk copy", R"(dd\s+.*if=)"},
    {"write to block device", R"(>\s*/dev/sd)"},
    {"SQL DROP", R"(DROP\s+(TABLE|DATABASE))"},
    {"SQL DELETE without WHERE", R"(DELETE\s+FROM)"},
    {"SQL TRUNCATE", R"(TRUNCATE\s+(TABLE)?\s*\w)"},
    {"overwrite system config", R"(>\s*/etc/)"},
    {"stop/restart system service", R"(systemctl\s+(stop|disable|mask))"},
    {"stop/restart system service", "stop/disable system service"},
    {"kill all processes", R"(kill\s+-9\s+-1)"},
    {"force kill processes", R"(pkill\s+-9)"},
    {"fork bomb", R"(:()\s*{\s*:\s*\|\s*)"},
    {"shell command via -c/-lc flag", R"((bash|sh|zsh)\s+-c\s+)"},
    {"shell command via -c/-lc flag", "shell command via -c flag"},
    {"script execution via -e/-c flag", R"((python[23]?|perl|ruby|node)\s+-[ec]\s+)"},
    {"pipe remote content to shell", "(curl|wget)"},
    {"xargs with rm", R"(xargs\s+.*)"},
    {"find -exec/-execdir rm", "find"},
    {"find -exec/-execdir rm", "find -exec rm"},
    {"find -delete", "find"},
    {"overwrite system file via tee", "tee"},
    {"overwrite project env/config via tee", "tee"},
    {"kill process via pgrep expansion (self-termination)", "kill"},
    {"kill process via backtick pgrep expansion (self-termination)", "kill"},
    {"copy/move file into system config path", "(cp|mv|install)"},
    {"overwrite project env/config file", "(cp|mv|install)"},
    {"copy/move file into sensitive credential/SSH/shell-rc path", "(cp|mv|install)"},
    {"git force push (rewrites remote history)", R"(git\s+push)"},
    {"git force push short flag (rewrites remote history)", R"(git\s+push)"},
    {"sudo with privilege flag (stdin/askpass/shell/list)", "sudo"},
    {"sudo with combined-flag privilege escalation", "sudo"},
    {"in-place edit of sensitive credential/SSH/shell-rc path",
     "in-place edit of sensitive credential/SSH/shell-rc path (long flag)"},
    {"in-place edit of sensitive credential/SSH/shell-rc path", R"(sed\s+--in-place)"},
    {"in-place edit of system config", "in-place edit of system config (long flag)"},
    {"in-place edit of system config", R"(sed\s+--in-place)"},
    {"in-place edit of Hermes config/env", "in-place edit of Hermes config/env (long flag)"},
    {"in-place edit of Hermes config/env", R"(sed\s+--in-place)"},
    {"in-place edit of sensitive credential/SSH/shell-rc path (perl/ruby)", "(?:perl|ruby)"},
    {"in-place edit of Hermes config/env (perl/ruby)", "(?:perl|ruby)"},
};

}  // namespace

std::vector<std::string> legacy_keys(std::string_view key) {
  std::vector<std::string> keys;
  for (const LegacyKey& one : kLegacyKeys) {
    if (one.key == key) keys.emplace_back(one.legacy);
  }
  return keys;
}

}  // namespace talaria::guard
