#include "support/canary.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "os/directory.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOfAFile = 64u << 20;
constexpr auto kPause = std::chrono::milliseconds(1);

std::vector<std::string> process_directories() {
  std::vector<std::string> found;
  for (const std::string& name : os::names_in("/proc")) {
    if (std::isdigit(static_cast<unsigned char>(name.front()))) found.push_back("/proc/" + name);
  }
  return found;
}

}  // namespace

Canaries::Canaries() : watcher_([this] { watch_command_lines(); }) {}

void Canaries::end() {
  stop_ = true;
  if (watcher_.joinable()) watcher_.join();
}

// Of no known shape: it is not to be found because nobody shows it, not because it is masked.
std::string Canaries::plant(const std::string& name) {
  const std::string secret = "canary" + os::random_hex(10);
  watch(name, secret);
  return secret;
}

std::string Canaries::plant_key(const std::string& name) {
  const std::string secret = "ghp_" + os::random_hex(18);
  watch(name, secret);
  return secret;
}

void Canaries::watch(const std::string& name, const std::string& secret) {
  const std::scoped_lock lock(mutex_);
  names_[secret] = name;
}

void Canaries::look_at(std::string_view text, const std::string& where) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [secret, name] : names_) {
    if (text.contains(secret)) findings_.insert(name + " in " + where);
  }
}

void Canaries::look_below(const std::string& directory,
                          const std::vector<std::string>& may_have_it) {
  for (const auto& entry :
       fs::recursive_directory_iterator(directory, fs::directory_options::skip_permission_denied)) {
    const std::string path = entry.path();
    const auto is_part = [&](const std::string& part) { return path.contains(part); };
    if (!entry.is_regular_file() || std::ranges::any_of(may_have_it, is_part)) continue;
    look_at(os::read_file(path, kMostOfAFile).value_or(""), path);
    files_.push_back(path);
  }
}

bool Canaries::has_looked_at(std::string_view part) const {
  return std::ranges::any_of(files_, [&](const std::string& path) { return path.contains(part); });
}

void Canaries::look_at_environments_of(std::string_view process_name) {
  for (const std::string& process : process_directories()) {
    const std::string name = os::read_file(process + "/comm", 256).value_or("");
    if (!name.starts_with(process_name)) continue;
    look_at(os::read_file(process + "/environ", kMostOfAFile).value_or(""),
            "the environment of " + name);
  }
}

std::set<std::string> Canaries::findings() {
  const std::scoped_lock lock(mutex_);
  return findings_;
}

void Canaries::watch_command_lines() {
  for (; !stop_; ++rounds_) {
    for (const std::string& process : process_directories()) {
      const std::string line = os::read_file(process + "/cmdline", 1u << 20).value_or("");
      look_at(line, "the command line of " + line.substr(0, line.find('\0')));
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace talaria::test
