#include "sandboxes/sandbox_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "json/fields.h"
#include "json/json_text.h"
#include "os/file.h"
#include "os/file_facts.h"
#include "os/file_lock.h"

namespace talaria::sandboxes {
namespace {

namespace fs = std::filesystem;
using SystemClock = std::chrono::system_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMostBytes = 1u << 20;

std::int64_t milliseconds_of(SystemClock::time_point time) {
  return std::chrono::floor<milliseconds>(time.time_since_epoch()).count();
}

json::object to_json(const SandboxFile& file) {
  const SandboxInfo& info = file.sandbox.info;
  const SandboxSpec& spec = info.spec;
  json::array variables(file.sandbox.variables.begin(), file.sandbox.variables.end());
  return {{"id", info.id},
          {"name", file.sandbox.name},
          {"target", info.target},
          {"image", spec.image},
          {"cwd", spec.cwd},
          {"directory", info.directory},
          {"cpu", spec.cpu},
          {"memory_mb", spec.memory_mib},
          {"disk_mb", spec.disk_mib},
          {"lifetime_ms", spec.lifetime.count()},
          {"idle_ms", spec.idle.count()},
          {"variables", std::move(variables)},
          {"created_ms", milliseconds_of(info.created)},
          {"key", file.key}};
}

milliseconds time_in(const json::object& object, std::string_view name) {
  return milliseconds(static_cast<std::int64_t>(number_field(object, name).value_or(0)));
}

SandboxFile from_json(const json::object& object) {
  SandboxFile file{.key = text_field(object, "key")};
  file.sandbox.name = text_field(object, "name");
  const json::value* const variables = object.if_contains("variables");
  if (variables != nullptr && variables->is_array()) {
    for (const json::value& one : variables->get_array()) {
      if (one.is_string()) file.sandbox.variables.emplace_back(one.get_string());
    }
  }
  SandboxInfo& info = file.sandbox.info;
  info.id = text_field(object, "id");
  info.target = text_field(object, "target");
  info.directory = text_field(object, "directory");
  info.state = SandboxState::running;
  info.created = SystemClock::time_point(time_in(object, "created_ms"));
  info.spec = {.image = text_field(object, "image"),
               .cwd = text_field(object, "cwd"),
               .cpu = number_field(object, "cpu").value_or(0),
               .memory_mib = number_field(object, "memory_mb").value_or(0),
               .disk_mib = number_field(object, "disk_mb").value_or(0),
               .lifetime = time_in(object, "lifetime_ms"),
               .idle = time_in(object, "idle_ms")};
  return file;
}

}  // namespace

bool is_sandbox_id(const std::string& id) {
  constexpr std::string_view kPrefix = "sbx_";
  if (!id.starts_with(kPrefix) || id.size() > 64 || id.size() == kPrefix.size()) return false;
  return id.find_first_not_of("0123456789abcdef", kPrefix.size()) == id.npos;
}

Result<std::optional<SandboxFile>> SandboxFiles::read(const std::string& id) const {
  if (!is_sandbox_id(id)) return std::nullopt;
  const auto text = os::read_file(path(id, ".json"), kMostBytes);
  if (!text && text.error().code() == ENOENT) return std::nullopt;
  if (!text) return fail(text.error());
  const auto object = parse_object(*text, path(id, ".json"));
  if (!object) return fail(object.error());
  SandboxFile file = from_json(*object);
  file.sandbox.info.last_use = file.sandbox.info.created;
  if (const auto facts = os::file_facts(path(id, ".lock"))) {
    const SystemClock::time_point used{std::chrono::duration_cast<SystemClock::duration>(
        std::chrono::nanoseconds(facts->mtime_ns))};
    file.sandbox.info.last_use = std::max(file.sandbox.info.last_use, used);
  }
  return file;
}

std::vector<SandboxFile> SandboxFiles::all() const {
  std::vector<SandboxFile> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory_, error)) {
    if (entry.path().extension() != ".json") continue;
    auto file = read(entry.path().stem().string());
    if (file && *file) files.push_back(std::move(**file));
  }
  std::ranges::sort(files, {}, [](const SandboxFile& one) { return one.sandbox.info.created; });
  return files;
}

Result<void> SandboxFiles::write(const SandboxFile& file) const {
  if (const auto made = os::make_private_directory(directory_); !made) return made;
  return os::replace_file(path(file.sandbox.info.id, ".json"), to_line(to_json(file)) + "\n");
}

void SandboxFiles::remove(const std::string& id) const {
  os::remove_file(path(id, ".json"));
  os::remove_file(path(id, ".lock"));
  std::error_code in_use;
  fs::remove(directory_, in_use);  // if that was the last one
}

Result<std::optional<os::UniqueFd>> SandboxFiles::try_lock_all() const {
  if (const auto made = os::make_private_directory(directory_); !made) return fail(made.error());
  return os::try_lock_file(directory_ + "/all.lock");
}

void SandboxFiles::unlock_all(os::UniqueFd lock) const {
  os::remove_file(directory_ + "/all.lock");  // while we have it: see try_lock_file()
  lock.reset();
}

Result<os::UniqueFd> SandboxFiles::use(const std::string& id) const {
  auto shared = os::try_share_file(path(id, ".lock"));
  if (!shared) return fail(shared.error());
  if (!*shared) return fail(ErrorKind::not_found, "sandbox '" + id + "' is being removed");
  return std::move(**shared);
}

void SandboxFiles::was_used(const os::UniqueFd& use) { ::futimens(use.get(), nullptr); }

std::optional<os::UniqueFd> SandboxFiles::lock(const std::string& id) const {
  auto lock = os::try_lock_file(path(id, ".lock"));
  return lock ? std::move(*lock) : std::nullopt;
}

}  // namespace talaria::sandboxes
