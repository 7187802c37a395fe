#include "host/sync/sync_record.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/sha256.h"
#include "environment/wait_for_lock.h"
#include "json/fields.h"
#include "os/directory.h"
#include "os/file.h"

namespace talaria::host {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostRecords = 256;  // the oldest goes
constexpr std::size_t kLargestRecord = 64u << 20;
constexpr std::size_t kRecordDigits = 32;
constexpr auto kRecordPatience = std::chrono::seconds(10);
constexpr const char* kRecordLock = "lock";

json::object facts_json(const os::FileFacts& facts) {
  return {{"size", facts.size}, {"mtime_ns", facts.mtime_ns}};
}

std::optional<os::FileFacts> facts_field(const json::object& object, std::string_view name) {
  const json::object* facts = object_field(object, name);
  const json::value* size = facts ? facts->if_contains("size") : nullptr;
  const json::value* time = facts ? facts->if_contains("mtime_ns") : nullptr;
  const auto bytes = size ? whole_number(*size) : std::nullopt;
  const auto changed = time ? whole_number(*time) : std::nullopt;
  if (!bytes || *bytes < 0 || !changed) return std::nullopt;
  return os::FileFacts{.size = static_cast<std::uint64_t>(*bytes), .mtime_ns = *changed};
}

std::string to_text(const PushedFiles& files) {
  json::object all;
  for (const auto& [path, file] : files) {
    all[path] = {{"root", file.from.root},          {"inside", file.from.inside},
                 {"secret", file.from.secret},      {"here", facts_json(file.from.facts)},
                 {"there", facts_json(file.there)}, {"sha256", file.sha256}};
  }
  return json::serialize(all);
}

std::optional<PushedFile> file_from(const json::value& value) {
  const json::object* file = value.if_object();
  if (!file) return std::nullopt;
  const auto here = facts_field(*file, "here");
  const auto there = facts_field(*file, "there");
  if (!here || !there) return std::nullopt;
  return PushedFile{.from = {.root = text_field(*file, "root"),
                             .inside = text_field(*file, "inside"),
                             .facts = *here,
                             .secret = flag_field(*file, "secret")},
                    .there = *there,
                    .sha256 = text_field(*file, "sha256")};
}

// One that is damaged is as good as none.
PushedFiles read_record(const std::string& path) {
  const auto text = os::read_file(path, kLargestRecord);
  if (!text) return {};
  json::parse_options options;
  options.allow_invalid_utf8 = true;  // names of files
  boost::system::error_code damaged;
  const json::value all = json::parse(*text, damaged, {}, options);
  if (damaged || !all.is_object()) return {};
  PushedFiles files;
  for (const auto& [name, value] : all.get_object()) {
    std::optional<PushedFile> file = file_from(value);
    if (!file) return {};
    files.emplace(name, std::move(*file));
  }
  return files;
}

void make_room(const std::string& directory) {
  std::vector<std::pair<std::int64_t, std::string>> records;
  for (const std::string& name : os::names_in(directory)) {
    const auto facts = os::file_facts(directory + "/" + name);
    if (facts && name != kRecordLock) records.emplace_back(facts->mtime_ns, name);
  }
  std::ranges::sort(records);
  for (std::size_t i = 0; i + kMostRecords <= records.size(); ++i) {
    os::remove_file(directory + "/" + records[i].second);
  }
}

}  // namespace

SyncRecord::SyncRecord(const std::string& home, const std::string& target)
    : directory_(home + "/talaria/sync/record"),
      path_(directory_ + "/" + sha256_hex(target).substr(0, kRecordDigits)) {}

std::optional<PushedFiles> SyncRecord::read_if_changed() {
  const auto now = os::file_facts(path_);
  if (now == seen_) return std::nullopt;
  seen_ = now;
  return read_record(path_);
}

Task<Result<void>> SyncRecord::change(std::set<std::string> paths, const PushedFiles& now) {
  if (const auto made = os::make_private_directory(directory_); !made) co_return made;
  const auto lock =
      co_await environment::wait_for_lock(directory_ + "/" + kRecordLock, kRecordPatience);
  if (!lock) co_return fail(lock.error());
  const auto before = os::file_facts(path_);
  if (!before) make_room(directory_);
  PushedFiles all = read_record(path_);
  for (const std::string& path : paths) {
    const auto found = now.find(path);
    if (found == now.end()) {
      all.erase(path);
    } else {
      all.insert_or_assign(path, found->second);
    }
  }
  const std::string text = to_text(all);
  // Better none than one that says what is no longer true.
  Result<void> written = text.size() <= kLargestRecord
                             ? os::replace_file(path_, text)
                             : fail(ErrorKind::limit, path_ + " would be too large");
  if (!written) os::remove_file(path_);
  // What another program wrote meanwhile is still to be read.
  if (before == seen_) seen_ = os::file_facts(path_);
  co_return written;
}

void SyncRecord::remove() const { os::remove_file(path_); }

}  // namespace talaria::host
