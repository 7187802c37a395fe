#include "environment/singularity/lease.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include <boost/json/array.hpp>

#include "base/sha256.h"
#include "json/json_text.h"
#include "os/directory.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr std::size_t kMaxLease = 256 * 1024;
constexpr std::size_t kDigestShown = 32;
constexpr std::string_view kSuffix = ".json";

// A home may be shared by machines, an instance is not.
std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) < 0) return "localhost";
  return name.data();
}

std::string directory_in(const std::string& home) { return home + "/talaria/instances"; }

std::optional<std::string> text_at(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  if (!value || !value->is_string()) return std::nullopt;
  return std::string(value->get_string());
}

std::optional<InstanceLease> lease_in(const std::string& path) {
  const auto text = read_file(path, kMaxLease);
  if (!text) return std::nullopt;
  const auto object = parse_object(*text, "a lease");
  if (!object) return std::nullopt;
  const auto task = text_at(*object, "task");
  const auto instance = text_at(*object, "instance");
  const auto program = text_at(*object, "program");
  const json::value* const arguments = object->if_contains("arguments");
  if (!task || !instance || !program || !arguments || !arguments->is_array()) return std::nullopt;
  InstanceLease lease{.task = *task, .instance = *instance, .program = *program};
  for (const json::value& word : arguments->get_array()) {
    if (word.is_string()) lease.arguments.emplace_back(word.get_string());
  }
  return lease;
}

std::optional<std::chrono::system_clock::time_point> last_change(const std::string& path) {
  struct stat about{};
  if (::stat(path.c_str(), &about) < 0) return std::nullopt;
  return std::chrono::system_clock::from_time_t(about.st_mtime);
}

}  // namespace

LeasePlace::LeasePlace(const std::string& home, const std::string& task)
    : directory_(directory_in(home)),
      path_(directory_ + "/" + host_name() + "." + sha256_hex(task).substr(0, kDigestShown) +
            std::string(kSuffix)) {}

Result<void> LeasePlace::make() const { return make_private_directory(directory_); }

std::optional<InstanceLease> LeasePlace::read() const { return lease_in(path_); }

Result<void> LeasePlace::write(const InstanceLease& lease) const {
  const json::object object{
      {"task", lease.task},
      {"instance", lease.instance},
      {"program", lease.program},
      {"arguments", json::array(lease.arguments.begin(), lease.arguments.end())}};
  return replace_file(path_, to_line(object) + "\n");
}

void LeasePlace::touch() const { ::utimensat(AT_FDCWD, path_.c_str(), nullptr, 0); }

std::optional<std::chrono::system_clock::time_point> LeasePlace::last_use() const {
  return last_change(path_);
}

void LeasePlace::remove() const { remove_file(path_); }

std::vector<FoundLease> instance_leases(const std::string& home) {
  std::vector<FoundLease> found;
  const std::string directory = directory_in(home);
  const std::string prefix = host_name() + ".";
  for (const std::string& name : names_in(directory)) {
    if (!name.starts_with(prefix) || !name.ends_with(kSuffix)) continue;
    const std::string path = directory + "/" + name;
    auto lease = lease_in(path);
    const auto last_use = last_change(path);
    if (!lease || !last_use) continue;
    found.push_back({.lease = std::move(*lease), .path = path, .last_use = *last_use});
  }
  return found;
}

}  // namespace talaria
