#include "host/store/grant_store.h"

#include "host/store/stored_values.h"
#include "os/random.h"

namespace talaria::host {
namespace {

#define TALARIA_GRANT_COLUMNS                                                                  \
  "id, rule, target, session_key, task, directory, digest, command, granted, grantor, until, " \
  "confirmed, noticed"

std::optional<std::string> text_or_null(const Query& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.text(column));
}

std::optional<std::int64_t> stored_end(const StoredGrant& grant) {
  return grant.until ? std::optional(stored(*grant.until)) : std::nullopt;
}

StoredGrant read_grant(const Query& row) {
  StoredGrant grant{.id = row.text(0),
                    .rule = row.text(1),
                    .target = row.text(2),
                    .session_key = text_or_null(row, 3),
                    .task = text_or_null(row, 4),
                    .directory = text_or_null(row, 5),
                    .digest = text_or_null(row, 6),
                    .command = row.text(7),
                    .granted = time_of(row.number(8)),
                    .grantor = row.text(9),
                    .confirmed = row.number(11) != 0,
                    .noticed = row.number(12) != 0};
  if (!row.is_null(10)) grant.until = time_of(row.number(10));
  return grant;
}

}  // namespace

std::string GrantStore::new_id() { return "grant_" + os::random_hex(6); }

Result<std::vector<StoredGrant>> GrantStore::list() {
  if (!home_->exists()) return std::vector<StoredGrant>();
  return home_->all(read_grant,
                    "SELECT " TALARIA_GRANT_COLUMNS
                    " FROM grants WHERE until IS NULL OR until > ? ORDER BY granted, id",
                    now_stored());
}

Result<std::vector<StoredGrant>> GrantStore::at_target(std::string_view target) {
  if (!home_->exists()) return std::vector<StoredGrant>();
  return home_->all(read_grant,
                    "SELECT " TALARIA_GRANT_COLUMNS
                    " FROM grants WHERE target = ? AND (until IS NULL OR until > ?)",
                    target, now_stored());
}

Result<std::optional<StoredGrant>> GrantStore::find(std::string_view id) {
  if (!home_->exists()) return std::nullopt;
  return home_->first(read_grant, "SELECT " TALARIA_GRANT_COLUMNS " FROM grants WHERE id = ?", id);
}

Result<void> GrantStore::add(const StoredGrant& grant) {
  const auto replaced = home_->run(
      "DELETE FROM grants WHERE rule = ? AND target = ? AND session_key IS ? AND task IS ? AND "
      "directory IS ? AND digest IS ? AND confirmed = 1",
      grant.rule, grant.target, grant.session_key, grant.task, grant.directory, grant.digest);
  if (!replaced) return replaced;
  return home_->run("INSERT INTO grants (" TALARIA_GRANT_COLUMNS
                    ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    grant.id, grant.rule, grant.target, grant.session_key, grant.task,
                    grant.directory, grant.digest, grant.command, stored(grant.granted),
                    grant.grantor, stored_end(grant), grant.confirmed, grant.noticed);
}

Result<void> GrantStore::confirm(const StoredGrant& grant) {
  return home_->run(
      "UPDATE grants SET confirmed = 1, grantor = ?, granted = ?, until = ? WHERE id = ?",
      grant.grantor, stored(grant.granted), stored_end(grant), grant.id);
}

Result<void> GrantStore::note_shown(std::string_view id) {
  return home_->run("UPDATE grants SET noticed = 1 WHERE id = ?", id);
}

Result<void> GrantStore::remove(std::string_view id) {
  return home_->run("DELETE FROM grants WHERE id = ?", id);
}

Result<void> GrantStore::remove_of_session(std::string_view session_key) {
  if (!home_->exists()) return {};
  return home_->run("DELETE FROM grants WHERE session_key = ?", session_key);
}

}  // namespace talaria::host
