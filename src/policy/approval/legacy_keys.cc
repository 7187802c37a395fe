#include "policy/approval/legacy_keys.h"

#include <algorithm>
#include <array>

namespace talaria {
namespace {

struct Renamed {
  std::string_view rule;
  std::string_view before;
};

constexpr auto kRenamed = std::to_array<Renamed>({
    {"find -exec/-execdir rm", "find"},
    {"find -delete", "find"},
    {"overwrite system file via tee", "tee"},
    {"overwrite project env/config via tee", "tee"},
    {"kill all processes", "kill"},
    {"kill process via pgrep expansion (self-termination)", "kill"},
    {"kill process via backtick pgrep expansion (self-termination)", "kill"},
    {"copy/move file into system config path", "(cp|mv|install)"},
    {"overwrite project env/config file", "(cp|mv|install)"},
    {"copy/move file into sensitive credential/SSH/shell-rc path", "(cp|mv|install)"},
    {"git force push (rewrites remote history)", R"(git\s+push)"},
    {"git force push short flag (rewrites remote history)", R"(git\s+push)"},
    {"sudo with privilege flag (stdin/askpass/shell/list)", "sudo"},
    {"sudo with combined-flag privilege escalation", "sudo"},
    {"in-place edit of sensitive credential/SSH/shell-rc path (long flag)", R"(sed\s+--in-place)"},
    {"in-place edit of system config (long flag)", R"(sed\s+--in-place)"},
    {"in-place edit of Hermes config/env (long flag)", R"(sed\s+--in-place)"},
    {"in-place edit of sensitive credential/SSH/shell-rc path (perl/ruby)", "(?:perl|ruby)"},
    {"in-place edit of Hermes config/env (perl/ruby)", "(?:perl|ruby)"},
});

}  // namespace

std::string_view legacy_key(std::string_view rule) {
  const auto found = std::ranges::find(kRenamed, rule, &Renamed::rule);
  return found == kRenamed.end() ? std::string_view() : found->before;
}

bool means_rule(std::string_view entry, std::string_view rule) {
  if (entry.empty() || rule.empty()) return false;
  return entry == rule || entry == legacy_key(rule) || legacy_key(entry) == rule;
}

}  // namespace talaria
