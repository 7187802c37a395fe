#include "host/withheld.h"

#include <algorithm>
#include <array>

#include "host/withheld_names.h"
#include "shell/name_patterns.h"

namespace talaria::host {
namespace {

static_assert(std::ranges::is_sorted(kNamesOfTheAgent));

// Whole families: messaging accounts with their channels and allow-lists, our own settings, and the
// prefix that lifts this filter, which counts only in a call and never in the process environment.
constexpr auto kFamiliesOfTheAgent = std::to_array<std::string_view>({
    "BROWSERBASE_*",
    "DISCORD_*",
    "EMAIL_*",
    "SIGNAL_*",
    "SLACK_*",
    "TALARIA_*",
    "TELEGRAM_*",
    "WHATSAPP_*",
    "_HERMES_FORCE_*",
});

// Named like a secret, and inherited all the same: what the tools of AWS look for, the place of a
// file, who asks.
constexpr auto kInherited = std::to_array<std::string_view>({
    "AWS_*",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "HERMES_CRON_*",
    "HERMES_SESSION_*",
});

// What decides behind the names and families of the agent.
std::vector<std::string> patterns_by_shape(const std::set<std::string>& passed) {
  std::vector<std::string> patterns;
  for (const std::string& name : passed) patterns.push_back("!" + name);
  for (const std::string_view name : kInherited) patterns.push_back("!" + std::string(name));
  patterns.emplace_back(shell::kSecretNames);
  return patterns;
}

}  // namespace

bool is_of_the_agent(std::string_view name) {
  static const std::vector<std::string> kFamilies(kFamiliesOfTheAgent.begin(),
                                                  kFamiliesOfTheAgent.end());
  return std::ranges::binary_search(kNamesOfTheAgent, name) || shell::lists_name(kFamilies, name);
}

bool is_inherited(std::string_view name, const std::set<std::string>& passed) {
  static const std::vector<std::string> kByShape = patterns_by_shape({});
  if (is_of_the_agent(name)) return false;
  return passed.contains(std::string(name)) || !shell::lists_name(kByShape, name);
}

std::vector<std::string> withheld_patterns(const std::set<std::string>& passed) {
  std::vector<std::string> patterns(kNamesOfTheAgent.begin(), kNamesOfTheAgent.end());
  patterns.insert(patterns.end(), kFamiliesOfTheAgent.begin(), kFamiliesOfTheAgent.end());
  const std::vector<std::string> by_shape = patterns_by_shape(passed);
  patterns.insert(patterns.end(), by_shape.begin(), by_shape.end());
  return patterns;
}

}  // namespace talaria::host
