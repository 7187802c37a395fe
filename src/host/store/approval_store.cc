#include "host/store/approval_store.h"

#include "base/limits.h"
#include "host/store/stored_values.h"

namespace talaria::host {
namespace {

#define TALARIA_APPROVAL_COLUMNS                                                               \
  "id, session_key, task, command, description, rules, target, cwd, permanent, machine, pid, " \
  "created, expires, state, choice, answerer"

StoredApproval read_approval(const Query& row) {
  return {.id = row.text(0),
          .session_key = row.text(1),
          .task = row.text(2),
          .command = row.text(3),
          .description = row.text(4),
          .rules = texts_of(json_of(row.text(5))),
          .target = row.text(6),
          .cwd = row.text(7),
          .permanent = row.number(8) != 0,
          .machine = row.text(9),
          .pid = row.number(10),
          .created = time_of(row.number(11)),
          .expires = time_of(row.number(12)),
          .state = static_cast<ApprovalState>(row.number(13)),
          .choice = row.text(14),
          .answerer = row.text(15)};
}

Result<std::optional<StoredApproval>> unwaited_in(Database& database,
                                                  const StoredApproval& question,
                                                  ApprovalState state) {
  return database.first(
      read_approval,
      "SELECT " TALARIA_APPROVAL_COLUMNS
      " FROM approvals WHERE state = ? AND machine = '' AND session_key = ? AND command "
      "= ? AND target = ? AND cwd = ? AND task = ? AND expires > ? ORDER BY number LIMIT 1",
      static_cast<int>(state), question.session_key, question.command, question.target,
      question.cwd, question.task, now_stored());
}

}  // namespace

Result<void> ApprovalStore::add(const StoredApproval& approval) {
  const auto database = home_->get();
  if (!database) return fail(database.error());
  const auto added = (*database)->run(
      "INSERT INTO approvals (" TALARIA_APPROVAL_COLUMNS
      ", answered) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
      approval.id, approval.session_key, approval.task, approval.command, approval.description,
      stored(approval.rules), approval.target, approval.cwd, approval.permanent, approval.machine,
      approval.pid, stored(approval.created), stored(approval.expires),
      static_cast<int>(approval.state), approval.choice, approval.answerer);
  if (!added) return added;
  const std::int64_t number = (*database)->last_id();
  home_->prune_if_due(number - 1, number);
  return {};
}

Result<std::vector<StoredApproval>> ApprovalStore::list(bool all) {
  return home_->all(read_approval,
                    "SELECT " TALARIA_APPROVAL_COLUMNS
                    " FROM approvals WHERE state = 0 OR ? ORDER BY number",
                    all);
}

Result<std::optional<StoredApproval>> ApprovalStore::find(std::string_view id) {
  return home_->first(read_approval,
                      "SELECT " TALARIA_APPROVAL_COLUMNS " FROM approvals WHERE id = ?", id);
}

Result<bool> ApprovalStore::close(std::string_view id, ApprovalState state, std::string_view choice,
                                  std::string_view answerer) {
  const auto database = home_->get();
  if (!database) return fail(database.error());
  const auto closed = (*database)->run(
      "UPDATE approvals SET state = ?, choice = ?, answerer = ?, answered = ? WHERE id = ? AND "
      "state = 0",
      static_cast<int>(state), choice, answerer, now_stored(), id);
  if (!closed) return fail(closed.error());
  return (*database)->changes() == 1;
}

Result<std::optional<StoredApproval>> ApprovalStore::find_unwaited(const StoredApproval& question,
                                                                   ApprovalState state) {
  const auto database = home_->get();
  if (!database) return fail(database.error());
  return unwaited_in(**database, question, state);
}

Result<std::size_t> ApprovalStore::count_open() {
  return home_->first_count("SELECT count(*) FROM approvals WHERE state = 0 AND expires > ?",
                            now_stored());
}

Result<std::size_t> ApprovalStore::count_open_of(std::string_view session_key) {
  return home_->first_count(
      "SELECT count(*) FROM approvals WHERE state = 0 AND expires > ? AND (session_key = ? "
      "OR session_key IN (SELECT id FROM sandboxes WHERE owner = (SELECT owner FROM "
      "sandboxes WHERE id = ?)))",
      now_stored(), session_key, session_key);
}

Result<std::optional<StoredApproval>> ApprovalStore::take_answer(const StoredApproval& question) {
  const auto database = home_->get();
  if (!database) return fail(database.error());
  auto transaction = Transaction::begin(**database);
  if (!transaction) return fail(transaction.error());
  auto found = unwaited_in(**database, question, ApprovalState::answered);
  if (!found || !*found) return found;
  const auto used = (*database)->run("UPDATE approvals SET state = 3 WHERE id = ?", (*found)->id);
  if (!used) return fail(used.error());
  if (const auto done = transaction->commit(); !done) return fail(done.error());
  return found;
}

Result<std::vector<std::string>> ApprovalStore::grants(std::string_view session_key,
                                                       std::string_view target) {
  return home_->all(
      [](const Query& row) { return row.text(0); },
      "SELECT rule FROM grants WHERE (session_key = '' OR session_key = ?) AND target = ? AND "
      "(until IS NULL OR until > ?)",
      session_key, target, now_stored());
}

Result<void> ApprovalStore::add_grant(std::string_view session_key, std::string_view target,
                                      std::string_view rule, std::optional<Time> until) {
  if (!until) {
    return home_->run("INSERT OR REPLACE INTO grants VALUES ('', ?, ?, ?, NULL)", target, rule,
                      now_stored());
  }
  return home_->run("INSERT OR REPLACE INTO grants VALUES (?, ?, ?, ?, ?)", session_key, target,
                    rule, now_stored(), stored(*until));
}

Result<void> ApprovalStore::forget_grants(std::string_view session_key) {
  if (session_key.empty()) return {};  // those are for good
  return home_->run("DELETE FROM grants WHERE session_key = ?", session_key);
}

}  // namespace talaria::host
