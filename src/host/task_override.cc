#include "host/task_override.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/limits.h"
#include "base/message.h"
#include "base/target_names.h"
#include "base/text.h"
#include "host/config/setting_table.h"
#include "host/config/value.h"

namespace talaria::host {
namespace {

struct OverrideKey {
  std::string_view key;
  std::string_view setting;
};

// Tasks that differ in nothing else may share an environment.
constexpr std::string_view kDirectory = "TERMINAL_CWD";
constexpr std::string_view kTarget = "TERMINAL_ENV";

constexpr auto kKeys = std::to_array<OverrideKey>({
    {"docker_image", "TERMINAL_DOCKER_IMAGE"},
    {"singularity_image", "TERMINAL_SINGULARITY_IMAGE"},
    {"modal_image", "TERMINAL_MODAL_IMAGE"},
    {"daytona_image", "TERMINAL_DAYTONA_IMAGE"},
    {"env_type", kTarget},
    {"container_cpu", "TERMINAL_CONTAINER_CPU"},
    {"container_memory", "TERMINAL_CONTAINER_MEMORY"},
    {"container_disk", "TERMINAL_CONTAINER_DISK"},
    {"cwd", kDirectory},
});

const TaskOverride kNothing;

std::string key_names() {
  std::string names;
  for (const OverrideKey& known : kKeys) {
    names += (names.empty() ? "" : ", ") + std::string(known.key);
  }
  return names;
}

// What was expected instead of the value; empty: it is valid.
std::string expected(const ConfigFlag& flag) {
  if (flag.setting == kTarget) {
    return has_word(kTargetNames, flag.value) ? "" : "one of " + listed_words(kTargetNames);
  }
  const auto parsed = parse_value(setting(flag.setting), {flag.value});
  return parsed ? "" : parsed.error();
}

}  // namespace

std::map<std::string_view, std::string> TaskOverride::isolation() const {
  std::map<std::string_view, std::string> said;
  for (const ConfigFlag& flag : flags) {
    if (flag.setting != kDirectory) said.emplace(flag.setting, flag.value);
  }
  return said;
}

bool TaskOverride::has_directory() const {
  return std::ranges::find(flags, kDirectory, &ConfigFlag::setting) != flags.end();
}

Result<TaskOverride> parse_override(const boost::json::object& overrides) {
  TaskOverride parsed;
  for (const auto& [name, value] : overrides) {
    const std::string_view key = name;
    const auto known = std::ranges::find(kKeys, key, &OverrideKey::key);
    if (known == kKeys.end()) {
      return fail(ErrorKind::bad_request, "unknown override '" + sanitize_utf8(key) +
                                              "'. Use one of: " + key_names() + ".");
    }
    const std::string_view text =
        value.is_string() ? value.get_string() : std::string_view("\0", 1);
    if (text.contains('\0') || !is_valid_utf8(text) || text.size() > kMaxOverrideBytes) {
      return fail(ErrorKind::bad_request, "override '" + std::string(key) +
                                              "' must be a string (UTF-8, no NUL) of at most " +
                                              std::to_string(kMaxOverrideBytes) + " bytes");
    }
    if (trim(text).empty()) continue;
    if (known->setting == kDirectory && !text.starts_with('/') && !text.starts_with('~')) {
      return fail(ErrorKind::bad_request,
                  "override 'cwd': expected an absolute path or one below ~, got '" +
                      sanitize_utf8(text) + "'");
    }
    parsed.flags.push_back({known->setting, known->key, std::string(text)});
  }
  return parsed;
}

Result<TaskOverride> parse_new_override(const boost::json::object& overrides) {
  Result<TaskOverride> parsed = parse_override(overrides);
  if (!parsed) return parsed;
  for (const ConfigFlag& flag : parsed->flags) {
    const std::string wanted = expected(flag);
    if (wanted.empty()) continue;
    return fail(ErrorKind::bad_request, "override '" + std::string(flag.flag) + "': expected " +
                                            wanted + ", got '" + sanitize_utf8(flag.value) + "'");
  }
  return parsed;
}

std::vector<std::string> TaskOverrides::set(const std::string& task, TaskOverride said) {
  const auto before = find(task).isolation();
  said_.erase(task);
  if (!said.flags.empty()) said_.emplace(task, std::move(said));
  if (find(task).isolation() == before) return {};
  return {task};
}

std::vector<std::string> TaskOverrides::set_stored(OverrideMap stored) {
  const OverrideMap old = std::exchange(stored_, std::move(stored));
  OverrideMap all = old;
  all.insert(stored_.begin(), stored_.end());
  std::vector<std::string> misfits;
  for (const auto& [task, ignored] : all) {
    if (said_.contains(task)) continue;
    const auto before = old.find(task);
    const TaskOverride& was = before == old.end() ? kNothing : before->second;
    if (find(task).isolation() != was.isolation()) misfits.push_back(task);
  }
  return misfits;
}

std::string TaskOverrides::environment_id(const std::string& task) const {
  return find(task).isolation().empty() ? std::string(kDefaultTask) : task;
}

boost::json::object TaskOverrides::describe() const {
  OverrideMap all = said_;
  all.insert(stored_.begin(), stored_.end());
  boost::json::object shown;
  for (const auto& [task, one] : all) {
    boost::json::object keys;
    for (const ConfigFlag& flag : one.flags) keys[flag.flag] = flag.value;
    shown[task] = std::move(keys);
  }
  return shown;
}

std::vector<std::string> TaskOverrides::tasks() const {
  std::vector<std::string> names;
  for (const auto& one : describe()) names.emplace_back(one.key());
  return names;
}

bool TaskOverrides::has_directory(const std::string& task) const {
  return find(task).has_directory() || find(environment_id(task)).has_directory();
}

const TaskOverride* TaskOverrides::unmoved(const std::string& task) const {
  const TaskOverride& own = find(task);
  return own.has_directory() && !own.moved ? &own : nullptr;
}

void TaskOverrides::set_moved(const std::string& task, const std::string& id, bool moved) {
  for (OverrideMap* map : {&said_, &stored_}) {
    const auto found = map->find(task);
    if (found != map->end() && found->second.id == id) found->second.moved = moved;
  }
}

std::vector<ConfigFlag> TaskOverrides::flags_of(const std::string& task) const {
  std::vector<ConfigFlag> flags = find(task).flags;
  if (const std::string id = environment_id(task); id != task) {
    const TaskOverride& shared = find(id);
    flags.insert(flags.end(), shared.flags.begin(), shared.flags.end());
  }
  return flags;
}

const TaskOverride& TaskOverrides::find(const std::string& task) const {
  for (const OverrideMap* map : {&said_, &stored_}) {
    if (const auto found = map->find(task); found != map->end()) return found->second;
  }
  return kNothing;
}

}  // namespace talaria::host
