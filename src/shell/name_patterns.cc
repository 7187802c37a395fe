#include "shell/name_patterns.h"

#include "base/secret_name.h"

namespace talaria::shell {
namespace {

bool pattern_matches(std::string_view pattern, std::string_view name) {
  if (pattern == kSecretNames) return secret_name(name) != SecretName::none;
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

bool lists_name(std::span<const std::string> patterns, std::string_view name) {
  for (std::string_view pattern : patterns) {
    const bool excludes = pattern.starts_with('!');
    if (excludes) pattern.remove_prefix(1);
    if (pattern_matches(pattern, name)) return !excludes;
  }
  return false;
}

}  // namespace talaria::shell
