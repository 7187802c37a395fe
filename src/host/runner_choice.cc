#include "host/runner_choice.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/hash.h"
#include "base/text.h"
#include "base/to_number.h"
#include "host/task_override.h"
#include "os/directory.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria::host {
namespace {

constexpr std::size_t kMostRunners = 64;
constexpr std::size_t kMostByDefault = 8;
// A runner takes about an eighth of the time of the commands that it runs.
constexpr std::size_t kProcessorsPerRunner = 4;
constexpr char kMark = ':';  // between the name of the shared environment and its runner

std::string directory_name(std::size_t runner) {
  return runner == 0 ? "local" : "local-" + std::to_string(runner);
}

std::optional<std::size_t> stored_count(const std::string& path) {
  const auto text = os::read_file(path, 64);
  const auto number = text ? to_number<std::size_t>(trim(*text)) : std::nullopt;
  return number && *number >= 1 && *number <= kMostRunners ? number : std::nullopt;
}

// Leaves a file that is there already as it is. A file of this name always is whole.
bool store_first(const std::string& path, const std::string& content) {
  const std::string ours = path + "." + os::random_hex(8);
  if (!os::replace_file(ours, content)) return false;
  std::error_code there;
  std::filesystem::create_hard_link(ours, path, there);
  std::error_code ignored;
  std::filesystem::remove(ours, ignored);
  return !there || there == std::errc::file_exists;
}

std::size_t suitable_count() {
  const std::size_t processors = std::thread::hardware_concurrency();
  return std::clamp<std::size_t>(processors / kProcessorsPerRunner, 1, kMostByDefault);
}

// The first program of a home decides; another one that comes at the same time finds its file.
std::size_t count_for(const std::string& home, std::size_t wanted) {
  const std::string run = home + "/talaria/run";
  const std::string path = run + "/runners";
  if (const auto stored = stored_count(path)) return *stored;
  if (os::is_plain_directory(run + "/" + directory_name(0))) return 1;
  const std::size_t count = wanted == 0 ? suitable_count() : std::min(wanted, kMostRunners);
  if (count == 1) return 1;
  for (const std::string& directory : {home + "/talaria", run}) {
    if (!os::make_private_directory(directory)) return 1;
  }
  if (!store_first(path, std::to_string(count) + "\n")) return 1;
  return stored_count(path).value_or(1);
}

// The runner in the id of a shared environment.
std::optional<std::size_t> runner_in(std::string_view id) {
  if (id == kDefaultTask) return 0;
  if (!id.starts_with(std::string(kDefaultTask) + kMark)) return std::nullopt;
  return to_number<std::size_t>(id.substr(kDefaultTask.size() + 1));
}

}  // namespace

RunnerChoice::RunnerChoice(const std::string& home, std::size_t wanted)
    : count_(count_for(home, wanted)) {}

std::size_t RunnerChoice::runner_of(std::string_view name) const {
  if (count_ == 1) return 0;
  const auto named = runner_in(name);
  return named.value_or(hash_text(name)) % count_;
}

std::string RunnerChoice::directory_of(std::string_view name) const {
  return directory_name(runner_of(name));
}

std::string RunnerChoice::shared_environment(std::string_view task) const {
  std::string id(kDefaultTask);
  if (const std::size_t runner = runner_of(task); runner != 0) id += kMark + std::to_string(runner);
  return id;
}

bool is_shared_environment(std::string_view id) { return runner_in(id).has_value(); }

}  // namespace talaria::host
