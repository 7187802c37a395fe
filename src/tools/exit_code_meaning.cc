#include "tools/exit_code_meaning.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "policy/guard/plain_commands.h"

namespace talaria::tool {
namespace {

struct Meaning {
  std::string_view program;
  int exit_code;
  std::string_view text;
};

constexpr std::string_view kNoMatches = "No matches found (not an error)";
constexpr std::string_view kDiffer = "Files differ (expected, not an error)";
constexpr std::string_view kFalse = "Condition evaluated to false (expected, not an error)";

constexpr auto kMeanings = std::to_array<Meaning>({
    {"grep", 1, kNoMatches},
    {"egrep", 1, kNoMatches},
    {"fgrep", 1, kNoMatches},
    {"rg", 1, kNoMatches},
    {"ag", 1, kNoMatches},
    {"ack", 1, kNoMatches},
    {"diff", 1, kDiffer},
    {"colordiff", 1, kDiffer},
    {"find", 1, "Some directories were inaccessible (partial results may still be valid)"},
    {"test", 1, kFalse},
    {"[", 1, kFalse},
    {"[[", 1, kFalse},
    {"curl", 6, "Could not resolve host"},
    {"curl", 7, "Failed to connect to host"},
    {"curl", 22, "HTTP response code indicated error (e.g. 404, 500)"},
    {"curl", 28, "Operation timed out"},
    {"git", 1, "Non-zero exit (often normal — e.g. 'git diff' returns 1 when files differ)"},
});

}  // namespace

std::string_view exit_code_meaning(std::string_view command, int exit_code) {
  if (exit_code <= 0) return {};
  const auto commands = guard::plain_commands(command);
  if (!commands) return {};
  for (const guard::PlainCommand& last : std::views::reverse(*commands)) {
    if (last.substituted) continue;
    if (last.words.empty() || last.negated) return {};
    const std::string_view path = last.words[0];
    const std::string_view program = path.substr(path.rfind('/') + 1);
    const auto found = std::ranges::find_if(kMeanings, [&](const Meaning& meaning) {
      return meaning.program == program && meaning.exit_code == exit_code;
    });
    return found == kMeanings.end() ? std::string_view() : found->text;
  }
  return {};
}

}  // namespace talaria::tool
