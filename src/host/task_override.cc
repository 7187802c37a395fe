#include "host/task_override.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace talaria {
namespace {

struct OverrideKey {
  std::string_view key;
  std::string_view setting;
};

// Tasks that differ in nothing else may share an environment.
constexpr std::string_view kDirectory = "TERMINAL_CWD";

constexpr auto kKeys = std::to_array<OverrideKey>({
    {"docker_image", "TERMINAL_DOCKER_IMAGE"},
    {"singularity_image", "TERMINAL_SINGULARITY_IMAGE"},
    {"modal_image", "TERMINAL_MODAL_IMAGE"},
    {"daytona_image", "TERMINAL_DAYTONA_IMAGE"},
    {"env_type", "TERMINAL_ENV"},
    {"cwd", kDirectory},
});

std::string key_names() {
  std::string names;
  for (const OverrideKey& known : kKeys) {
    names += (names.empty() ? "" : ", ") + std::string(known.key);
  }
  return names;
}

}  // namespace

std::map<std::string_view, std::string> TaskOverride::isolation() const {
  std::map<std::string_view, std::string> said;
  for (const ConfigFlag& flag : flags) {
    if (flag.setting != kDirectory) said.emplace(flag.setting, flag.value);
  }
  return said;
}

Result<TaskOverride> parse_override(const boost::json::object& overrides) {
  TaskOverride parsed;
  for (const auto& [name, value] : overrides) {
    const std::string_view key = name;
    const auto known = std::ranges::find(kKeys, key, &OverrideKey::key);
    if (known == kKeys.end()) {
      return fail(ErrorKind::bad_request, "unknown override '" + sanitize_utf8(key) +
                                              "'. Use some of: " + key_names() + ".");
    }
    if (!value.is_string() || value.get_string().find('\0') != std::string_view::npos) {
      return fail(ErrorKind::bad_request,
                  "override '" + std::string(key) + "' must be a text without NUL bytes");
    }
    const std::string_view text = value.get_string();
    if (trim(text).empty()) continue;
    parsed.flags.push_back({known->setting, known->key, std::string(text)});
  }
  return parsed;
}

bool TaskOverrides::set(const std::string& task, TaskOverride said) {
  TaskOverride& current = overrides_[task];
  const bool moves = current.isolation() != said.isolation();
  current = std::move(said);
  if (current.flags.empty()) overrides_.erase(task);
  return moves;
}

std::string TaskOverrides::environment_id(const std::string& task) const {
  const auto found = overrides_.find(task);
  const bool shares = found == overrides_.end() || found->second.isolation().empty();
  return shares ? std::string(kDefaultTask) : task;
}

std::vector<ConfigFlag> TaskOverrides::flags_of(const std::string& task) const {
  std::vector<ConfigFlag> flags;
  add_flags(task, flags);
  if (const std::string id = environment_id(task); id != task) add_flags(id, flags);
  return flags;
}

void TaskOverrides::add_flags(const std::string& id, std::vector<ConfigFlag>& flags) const {
  const auto found = overrides_.find(id);
  if (found == overrides_.end()) return;
  flags.insert(flags.end(), found->second.flags.begin(), found->second.flags.end());
}

}  // namespace talaria
