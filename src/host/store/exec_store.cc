// What ran in sandboxes, of a SandboxStore.

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "host/store/sandbox_store.h"
#include "host/store/stored_time.h"

namespace talaria::host {
namespace {

namespace json = boost::json;

#define TALARIA_EXEC_FACTS                                                             \
  "number, sandbox, id, process, instance, state, command, cwd, open_input, timeout, " \
  "variables, created, started, ended, returncode, bytes, truncated, reason"

std::optional<std::chrono::system_clock::time_point> maybe_time(const Query& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return time_of(row.number(column));
}

std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> list;
  boost::system::error_code flaw;
  const json::value value = json::parse(text, flaw);
  if (flaw || !value.is_array()) return list;
  for (const json::value& item : value.get_array()) {
    if (item.is_string()) list.emplace_back(item.get_string());
  }
  return list;
}

StoredExec read_exec(const Query& row) {
  StoredExec exec{.number = row.number(0),
                  .sandbox = row.text(1),
                  .spec = {.id = row.text(2),
                           .command = row.text(6),
                           .takes_input = row.number(8) != 0,
                           .timeout = std::chrono::milliseconds(row.number(9)),
                           .variables = list_of(row.text(10))},
                  .info = {.id = row.text(2),
                           .state = static_cast<ExecState>(row.number(5)),
                           .output_bytes = row.count(15),
                           .truncated = row.number(16) != 0,
                           .returncode = static_cast<int>(row.number(14)),
                           .reason = row.text(17),
                           .process = row.text(3),
                           .created = time_of(row.number(11)),
                           .started = maybe_time(row, 12),
                           .ended = maybe_time(row, 13)},
                  .instance = row.text(4)};
  if (!row.is_null(7)) exec.spec.cwd = row.text(7);
  return exec;
}

}  // namespace

Result<std::optional<std::int64_t>> SandboxStore::add_exec(const StoredExec& exec) {
  const ExecSpec& spec = exec.spec;
  const std::string variables =
      json::serialize(json::array(spec.variables.begin(), spec.variables.end()));
  // What is absent is NULL; the statement says so, for a parameter cannot.
  const auto added = database_.run(
      "INSERT INTO execs (sandbox, id, process, instance, state, command, cwd, input, open_input, "
      "timeout, variables, created, returncode, output, bytes, truncated, reason) VALUES (?, ?, ?, "
      "?, ?, ?, CASE ? WHEN 1 THEN ? END, CASE ? WHEN 1 THEN ? END, ?, ?, ?, ?, 0, '', 0, 0, '') "
      "ON CONFLICT (sandbox, id) DO NOTHING",
      exec.sandbox, spec.id, exec.info.process, exec.instance, static_cast<int>(exec.info.state),
      spec.command, spec.cwd.has_value(), spec.cwd.value_or(""), spec.stdin_data.has_value(),
      spec.stdin_data.value_or(""), spec.takes_input, spec.timeout.count(), variables,
      stored(exec.info.created));
  if (!added) return fail(added.error());
  if (database_.changes() == 0) return std::nullopt;
  return database_.last_id();
}

Result<std::optional<StoredExec>> SandboxStore::find_exec(std::string_view sandbox,
                                                          std::string_view id) {
  Query query(database_,
              "SELECT " TALARIA_EXEC_FACTS ", output FROM execs WHERE sandbox = ? AND id = ?",
              sandbox, id);
  const auto row = query.next();
  if (!row) return fail(row.error());
  if (!*row) return std::nullopt;
  StoredExec exec = read_exec(query);
  exec.info.output = query.text(18);
  return exec;
}

Result<std::vector<StoredExec>> SandboxStore::execs_of(std::string_view sandbox) {
  Query query(database_,
              "SELECT " TALARIA_EXEC_FACTS " FROM execs WHERE sandbox = ? ORDER BY number",
              sandbox);
  return query.all(read_exec);
}

Result<std::vector<StoredExec>> SandboxStore::live_execs() {
  Query query(database_, "SELECT " TALARIA_EXEC_FACTS
                         ", input FROM execs WHERE ended IS NULL ORDER BY number");
  std::vector<StoredExec> found;
  for (;;) {
    const auto row = query.next();
    if (!row) return fail(row.error());
    if (!*row) return found;
    found.push_back(read_exec(query));
    if (!query.is_null(18)) found.back().spec.stdin_data = query.text(18);
  }
}

Result<void> SandboxStore::exec_sent(std::int64_t number, std::string_view instance) {
  return database_.run("UPDATE execs SET instance = ? WHERE number = ? AND ended IS NULL", instance,
                       number);
}

Result<void> SandboxStore::exec_ended(std::int64_t number, const ExecInfo& info) {
  return database_.run(
      "UPDATE execs SET state = ?, started = CASE ? WHEN 1 THEN ? END, ended = ?, returncode = ?, "
      "output = ?, bytes = ?, truncated = "
      "?, reason = ?, command = substr(command, 1, ?), input = NULL WHERE number = ? AND ended IS "
      "NULL",
      static_cast<int>(info.state), info.started.has_value(),
      stored(info.started.value_or(info.created)), stored(info.ended.value_or(info.created)),
      info.returncode, info.output, info.output_bytes, info.truncated, info.reason,
      kMaxStoredCommandBytes, number);
}

}  // namespace talaria::host
