#include "host/store/approval_store.h"

#include "base/limits.h"
#include "host/store/stored_values.h"
#include "json/fields.h"

namespace talaria::host {
namespace {

#define TALARIA_APPROVAL_COLUMNS                                                               \
  "id, session_key, task, command, description, rules, target, cwd, permanent, machine, pid, " \
  "created, expires, state, choice, answerer, covers, lasts, offers, notices, "                \
  "asker_boot, asker_start, digest, details, words"

std::string stored_offers(const std::vector<GrantOffer>& offers) {
  boost::json::array list;
  for (const GrantOffer& one : offers) {
    list.push_back(boost::json::object{{"covers", one.covers}, {"sentence", one.sentence}});
  }
  return boost::json::serialize(list);
}

std::vector<GrantOffer> offers_of(const std::string& text) {
  std::vector<GrantOffer> offers;
  const boost::json::value list = json_of(text);
  if (!list.is_array()) return offers;
  for (const boost::json::value& one : list.get_array()) {
    if (!one.is_object()) continue;
    offers.push_back({.covers = text_field(one.get_object(), "covers"),
                      .sentence = text_field(one.get_object(), "sentence")});
  }
  return offers;
}

std::string stored_details(const std::vector<ApprovalDetail>& details) {
  boost::json::array list;
  for (const ApprovalDetail& one : details) {
    list.push_back(boost::json::object{{"name", one.name}, {"text", one.text}});
  }
  return boost::json::serialize(list);
}

std::vector<ApprovalDetail> details_of(const std::string& text) {
  std::vector<ApprovalDetail> details;
  const boost::json::value list = json_of(text);
  if (!list.is_array()) return details;
  for (const boost::json::value& one : list.get_array()) {
    if (!one.is_object()) continue;
    details.push_back({.name = text_field(one.get_object(), "name"),
                       .text = text_field(one.get_object(), "text")});
  }
  return details;
}

StoredApproval read_approval(const Query& row) {
  return {.id = row.text(0),
          .session_key = row.text(1),
          .task = row.text(2),
          .command = row.text(3),
          .details = details_of(row.text(23)),
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
          .answerer = row.text(15),
          .covers = row.text(16),
          .lasts = std::chrono::seconds(row.number(17)),
          .offers = offers_of(row.text(18)),
          .notices = texts_of(json_of(row.text(19))),
          .digest = row.text(22),
          .asker_boot = row.text(20),
          .asker_start = row.count(21),
          .words = row.text(24)};
}

}  // namespace

Result<void> ApprovalStore::add(const StoredApproval& approval) {
  const auto database = home_->get();
  if (!database) return fail(database.error());
  const auto added = (*database)->run(
      "INSERT INTO approvals (" TALARIA_APPROVAL_COLUMNS
      ", answered) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, 0)",
      approval.id, approval.session_key, approval.task, approval.command, approval.description,
      stored(approval.rules), approval.target, approval.cwd, approval.permanent, approval.machine,
      approval.pid, stored(approval.created), stored(approval.expires),
      static_cast<int>(approval.state), approval.choice, approval.answerer, approval.covers,
      approval.lasts.count(), stored_offers(approval.offers), stored(approval.notices),
      approval.asker_boot, approval.asker_start, approval.digest, stored_details(approval.details),
      approval.words);
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

Result<bool> ApprovalStore::close(std::string_view id, const Closing& closing) {
  const auto database = home_->get();
  if (!database) return fail(database.error());
  const auto closed = (*database)->run(
      "UPDATE approvals SET state = ?, choice = ?, covers = ?, lasts = ?, answerer = ?, words = ?, "
      "answered = ? WHERE id = ? AND state = 0",
      static_cast<int>(closing.state), closing.choice, closing.covers, closing.lasts,
      closing.answerer, closing.words, now_stored(), id);
  if (!closed) return fail(closed.error());
  return (*database)->changes() == 1;
}

Result<std::vector<StoredApproval>> ApprovalStore::find_same(const StoredApproval& question,
                                                             ApprovalState state) {
  return home_->all(read_approval,
                    "SELECT " TALARIA_APPROVAL_COLUMNS
                    " FROM approvals WHERE state = ? AND command = ? AND digest = ? AND target = ? "
                    "AND cwd = ? AND "
                    "task = ? AND expires > ? ORDER BY number",
                    static_cast<int>(state), question.command, question.digest, question.target,
                    question.cwd, question.task, now_stored());
}

Result<bool> ApprovalStore::adopt(const StoredApproval& question) {
  const auto database = home_->get();
  if (!database) return fail(database.error());
  const auto adopted = (*database)->run(
      "UPDATE approvals SET session_key = ?, machine = ?, pid = ?, asker_boot = ?, asker_start = "
      "?, "
      "expires = ? WHERE id = ? AND state = 0",
      question.session_key, question.machine, question.pid, question.asker_boot,
      question.asker_start, stored(question.expires), question.id);
  if (!adopted) return fail(adopted.error());
  return (*database)->changes() == 1;
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

Result<std::optional<StoredApproval>> ApprovalStore::take_answer(std::string_view id) {
  const auto database = home_->get();
  if (!database) return fail(database.error());
  const auto taken =
      (*database)->run("UPDATE approvals SET state = 3 WHERE id = ? AND state = 1", id);
  if (!taken) return fail(taken.error());
  if ((*database)->changes() != 1) return std::nullopt;
  return find(id);
}

}  // namespace talaria::host
