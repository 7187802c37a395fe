#include "host/override_store.h"

#include <chrono>
#include <thread>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "os/random.h"

namespace talaria::host {
namespace {

namespace json = boost::json;

constexpr auto kLockPatience = std::chrono::milliseconds(5'000);
constexpr auto kLockPause = std::chrono::milliseconds(5);

// A program that has the lock writes one small file and releases it.
Result<os::UniqueFd> lock_soon(const std::string& path, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    auto lock = os::try_lock_file(path);
    if (!lock) return fail(lock.error());
    if (*lock) return std::move(**lock);
    if (std::chrono::steady_clock::now() >= until) {
      return fail(ErrorKind::unavailable, path + " is held by " + os::describe_lock(path));
    }
    std::this_thread::sleep_for(kLockPause);
  }
}

json::value to_json(const OverrideMap& overrides) {
  json::object tasks;
  for (const auto& [task, said] : overrides) {
    json::object keys;
    for (const ConfigFlag& flag : said.flags) keys[flag.flag] = flag.value;
    tasks[task] = {{"id", said.id}, {"moved", said.moved}, {"overrides", std::move(keys)}};
  }
  return tasks;
}

Result<OverrideMap> from_json(std::string_view text) {
  boost::system::error_code error;
  const json::value tasks = json::parse(text, error);
  if (error || !tasks.is_object()) return fail(ErrorKind::system, "it is not a JSON object");
  OverrideMap overrides;
  for (const auto& [task, entry] : tasks.get_object()) {
    const json::object* fields = entry.if_object();
    const json::value* id = fields ? fields->if_contains("id") : nullptr;
    const json::value* moved = fields ? fields->if_contains("moved") : nullptr;
    const json::value* keys = fields ? fields->if_contains("overrides") : nullptr;
    if (!id || !id->is_string() || !moved || !moved->is_bool() || !keys || !keys->is_object()) {
      return fail(ErrorKind::system, "a task needs the fields id, moved and overrides");
    }
    Result<TaskOverride> said = parse_override(keys->get_object());
    if (!said) return fail(said.error());
    said->id = std::string(id->get_string());
    said->moved = moved->get_bool();
    overrides.emplace(task, std::move(*said));
  }
  return overrides;
}

}  // namespace

Result<bool> OverrideStore::refresh() {
  const auto there = look_(path());
  if (!there && !file_) return false;
  if (there && file_ && os::file_id(file_.get()) == there) return false;
  if (!there) {
    file_.reset();
    overrides_.clear();
    return true;
  }
  auto file = os::open_regular_file(path());
  if (!file) return fail(file.error());
  const auto text = os::read_whole(file->get(), kMaxOverridesFileBytes);
  if (!text) return fail(text.error().kind(), path() + ": " + text.error().message());
  auto overrides = from_json(*text);
  if (!overrides) {
    return fail(overrides.error().kind(),
                path() + " is invalid: " + overrides.error().message() + ". Fix it or remove it.");
  }
  overrides_ = std::move(*overrides);
  file_ = std::move(*file);
  return true;
}

Result<void> OverrideStore::set(const std::string& task, const json::object& overrides) {
  if (!is_valid_utf8(task) || task.size() > kMaxTaskBytes) {
    return fail(ErrorKind::bad_request, "a task's name must be UTF-8 text of at most " +
                                            std::to_string(kMaxTaskBytes) + " bytes");
  }
  Result<TaskOverride> said = parse_new_override(overrides);
  if (!said) return fail(said.error());
  said->id = os::random_hex(8);
  return change(kLockPatience, [&](OverrideMap& all) {
    all.erase(task);
    if (!said->flags.empty()) all.emplace(task, std::move(*said));
  });
}

Result<void> OverrideStore::mark_moved(const std::string& task, const std::string& id) {
  return change(std::chrono::milliseconds(0), [&](OverrideMap& all) {
    const auto found = all.find(task);
    if (found != all.end() && found->second.id == id) found->second.moved = true;
  });
}

Result<void> OverrideStore::change(std::chrono::milliseconds patience,
                                   const std::function<void(OverrideMap&)>& edit) {
  if (const auto made = os::make_private_directory(directory_); !made) return made;
  const auto lock = lock_soon(directory_ + "/overrides.lock", patience);
  if (!lock) return fail(lock.error());
  if (const auto fresh = refresh(); !fresh) return fail(fresh.error());
  OverrideMap changed = overrides_;
  edit(changed);
  const std::string text = json::serialize(to_json(changed)) + "\n";
  if (text.size() > kMaxOverridesFileBytes) {
    return fail(ErrorKind::limit, path() + " would be over " +
                                      std::to_string(kMaxOverridesFileBytes) +
                                      " bytes; remove some overrides");
  }
  return os::replace_file(path(), text);
}

}  // namespace talaria::host
