#include "host/store/sandbox_store.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "host/store/home_database.h"
#include "host/store/stored_values.h"
#include "json/fields.h"

namespace talaria::host {
namespace {

namespace json = boost::json;

#define TALARIA_SANDBOX_COLUMNS \
  "id, owner, request, digest, spec, target, state, directory, restored, created, used, keep"

// What was asked for, and what is held to.
std::string text_of(const SandboxInfo& info) {
  const SandboxSpec& spec = info.spec;
  return json::serialize(json::object{{"image", spec.image},
                                      {"cwd", spec.cwd},
                                      {"cpu", spec.cpu},
                                      {"memory", spec.memory_mib},
                                      {"disk", spec.disk_mib},
                                      {"lifetime", spec.lifetime.count()},
                                      {"idle", spec.idle.count()},
                                      {"persistent", spec.persistent},
                                      {"key", spec.logical_key},
                                      {"limits",
                                       {{"cpu", info.limits.cpu},
                                        {"memory", info.limits.memory_mib},
                                        {"disk", info.limits.disk_mib}}}});
}

double number_in(const json::object& object, std::string_view name) {
  return number_field(object, name).value_or(0);
}

SandboxSpec spec_of(const json::object& object) {
  const auto milliseconds = [&](std::string_view name) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(number_in(object, name)));
  };
  return {.image = text_field(object, "image"),
          .cwd = text_field(object, "cwd"),
          .cpu = number_in(object, "cpu"),
          .memory_mib = number_in(object, "memory"),
          .disk_mib = number_in(object, "disk"),
          .lifetime = milliseconds("lifetime"),
          .idle = milliseconds("idle"),
          .persistent = flag_field(object, "persistent"),
          .logical_key = text_field(object, "key")};
}

SandboxResources limits_of(const json::object& object) {
  const json::object* const limits = object_field(object, "limits");
  if (!limits) return {};
  return {.cpu = number_in(*limits, "cpu"),
          .memory_mib = number_in(*limits, "memory"),
          .disk_mib = number_in(*limits, "disk")};
}

StoredSandbox read_sandbox(const Query& row) {
  const json::value parsed = json_of(row.text(4));
  const json::object text = parsed.is_object() ? parsed.get_object() : json::object();
  return {.info = {.id = row.text(0),
                   .owner = row.text(1),
                   .spec = spec_of(text),
                   .state = static_cast<SandboxState>(row.number(6)),
                   .target = row.text(5),
                   .directory = row.text(7),
                   .limits = limits_of(text),
                   .restored = row.number(8) != 0,
                   .created = time_of(row.number(9)),
                   .last_use = time_of(row.number(10))},
          .request = row.text(2),
          .digest = row.text(3),
          .keep = row.number(11) != 0};
}

}  // namespace

Result<SandboxStore> SandboxStore::open(const std::string& home) {
  auto database = open_home_database(home, StoreWait::on_loop);
  if (!database) return fail(database.error());
  return SandboxStore(std::move(*database));
}

Result<std::optional<StoredSandbox>> SandboxStore::add(const StoredSandbox& sandbox) {
  const SandboxInfo& info = sandbox.info;
  auto transaction = Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  if (!sandbox.request.empty()) {
    auto earlier =
        database_.first(read_sandbox,
                        "SELECT " TALARIA_SANDBOX_COLUMNS
                        " FROM sandboxes WHERE owner = ? AND request = ? AND request <> ''",
                        info.owner, sandbox.request);
    if (!earlier || *earlier) return earlier;
  }
  const auto added =
      database_.run("INSERT INTO sandboxes (" TALARIA_SANDBOX_COLUMNS
                    ", ended) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, NULL)",
                    info.id, info.owner, sandbox.request, sandbox.digest, text_of(info),
                    info.target, static_cast<int>(info.state), info.directory, info.restored,
                    stored(info.created), stored(info.last_use));
  if (!added) return fail(added.error());
  if (const auto done = transaction->commit(); !done) return fail(done.error());
  return std::nullopt;
}

Result<std::optional<StoredSandbox>> SandboxStore::find(std::string_view id) {
  return database_.first(read_sandbox,
                         "SELECT " TALARIA_SANDBOX_COLUMNS " FROM sandboxes WHERE id = ?", id);
}

Result<std::vector<StoredSandbox>> SandboxStore::live() {
  return database_.all(read_sandbox, "SELECT " TALARIA_SANDBOX_COLUMNS
                                     " FROM sandboxes WHERE ended IS NULL ORDER BY created, id");
}

Result<void> SandboxStore::set_running(const SandboxInfo& sandbox) {
  return database_.run(
      "UPDATE sandboxes SET state = ?, spec = ?, directory = ?, restored = ? "
      "WHERE id = ? AND state = ?",
      static_cast<int>(SandboxState::running), text_of(sandbox), sandbox.directory,
      sandbox.restored, sandbox.id, static_cast<int>(SandboxState::creating));
}

Result<void> SandboxStore::set_terminating(std::string_view id, bool keep) {
  return database_.run("UPDATE sandboxes SET state = ?, keep = ? WHERE id = ? AND ended IS NULL",
                       static_cast<int>(SandboxState::terminating), keep, id);
}

Result<void> SandboxStore::set_terminated(std::string_view id) {
  auto transaction = Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  const auto set = database_.run("UPDATE sandboxes SET state = ?, ended = ? WHERE id = ?",
                                 static_cast<int>(SandboxState::terminated), now_stored(), id);
  if (!set) return set;
  const auto dropped = database_.run("DELETE FROM execs WHERE sandbox = ?", id);
  if (!dropped) return dropped;
  return transaction->commit();
}

Result<void> SandboxStore::forget(std::string_view id) {
  return database_.run("DELETE FROM sandboxes WHERE id = ?", id);
}

Result<void> SandboxStore::set_used(std::string_view id,
                                    std::chrono::system_clock::time_point when) {
  return database_.run("UPDATE sandboxes SET used = ? WHERE id = ?", stored(when), id);
}

Result<std::string> SandboxStore::snapshot(std::string_view owner, std::string_view key,
                                           std::string_view target) {
  const auto place = database_.first(
      [](const Query& row) { return row.text(0); },
      "SELECT place FROM snapshots WHERE owner = ? AND logical_key = ? AND target = ?", owner, key,
      target);
  if (!place) return fail(place.error());
  return place->value_or("");
}

Result<void> SandboxStore::set_snapshot(std::string_view owner, std::string_view key,
                                        std::string_view target, std::string_view place) {
  return database_.run("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?)", owner, key,
                       target, place, now_stored());
}

Result<void> SandboxStore::prune(std::chrono::system_clock::time_point oldest) {
  return database_.run("DELETE FROM sandboxes WHERE ended < ?", stored(oldest));
}

}  // namespace talaria::host
