#include "host/store/sandbox_store.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "host/store/home_database.h"
#include "host/store/stored_time.h"
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
  const json::value* value = object.if_contains(name);
  if (!value || !value->is_number()) return 0;
  return value->to_number<double>();
}

json::object object_in(const std::string& text) {
  boost::system::error_code flaw;
  const json::value value = json::parse(text, flaw);
  return flaw || !value.is_object() ? json::object() : value.get_object();
}

SandboxSpec spec_of(const json::object& object) {
  const auto milliseconds = [&](std::string_view name) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(number_in(object, name)));
  };
  const json::value* persistent = object.if_contains("persistent");
  return {.image = text_field(object, "image"),
          .cwd = text_field(object, "cwd"),
          .cpu = number_in(object, "cpu"),
          .memory_mib = number_in(object, "memory"),
          .disk_mib = number_in(object, "disk"),
          .lifetime = milliseconds("lifetime"),
          .idle = milliseconds("idle"),
          .persistent = persistent && persistent->is_bool() && persistent->get_bool(),
          .logical_key = text_field(object, "key")};
}

SandboxResources limits_of(const json::object& object) {
  const json::value* limits = object.if_contains("limits");
  if (!limits || !limits->is_object()) return {};
  const json::object& told = limits->get_object();
  return {.cpu = number_in(told, "cpu"),
          .memory_mib = number_in(told, "memory"),
          .disk_mib = number_in(told, "disk")};
}

StoredSandbox read_sandbox(const Query& row) {
  const json::object text = object_in(row.text(4));
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
  auto database = open_home_database(home);
  if (!database) return fail(database.error());
  return SandboxStore(std::move(*database));
}

Result<std::optional<StoredSandbox>> SandboxStore::add(const StoredSandbox& sandbox) {
  const SandboxInfo& info = sandbox.info;
  auto transaction = Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  if (!sandbox.request.empty()) {
    Query query(database_,
                "SELECT " TALARIA_SANDBOX_COLUMNS
                " FROM sandboxes WHERE owner = ? AND request = ? AND request <> ''",
                info.owner, sandbox.request);
    const auto row = query.next();
    if (!row) return fail(row.error());
    if (*row) return read_sandbox(query);
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
  Query query(database_, "SELECT " TALARIA_SANDBOX_COLUMNS " FROM sandboxes WHERE id = ?", id);
  return query.first(read_sandbox);
}

Result<std::vector<StoredSandbox>> SandboxStore::live() {
  Query query(database_, "SELECT " TALARIA_SANDBOX_COLUMNS
                         " FROM sandboxes WHERE ended IS NULL ORDER BY created, id");
  return query.all(read_sandbox);
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
  Query query(database_,
              "SELECT place FROM snapshots WHERE owner = ? AND logical_key = ? AND target = ?",
              owner, key, target);
  const auto row = query.next();
  if (!row) return fail(row.error());
  return *row ? query.text(0) : "";
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
