// What ran in sandboxes, of a SandboxStore.

#include "base/limits.h"
#include "base/text.h"
#include "host/store/sandbox_store.h"
#include "host/store/stored_values.h"

namespace talaria::host {
namespace {

#define TALARIA_EXEC_FACTS                                                                      \
  "number, sandbox, id, process, instance, state, command, cwd, open_input, timeout, "          \
  "variables, created, started, ended, returncode, bytes, truncated, reason, changes_session, " \
  "texts_apart"

std::optional<std::chrono::system_clock::time_point> maybe_time(const Query& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return time_of(row.number(column));
}

StoredExec read_exec(const Query& row) {
  StoredExec exec{.number = row.number(0),
                  .sandbox = row.text(1),
                  .spec = {.id = row.text(2),
                           .command = row.text(6),
                           .takes_input = row.number(8) != 0,
                           .timeout = std::chrono::milliseconds(row.number(9)),
                           .variables = texts_of(json_of(row.text(10))),
                           .changes_session = row.number(18) != 0},
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
                  .instance = row.text(4),
                  .texts_apart = row.number(19) != 0};
  if (!row.is_null(7)) exec.spec.cwd = row.text(7);
  return exec;
}

}  // namespace

Result<std::optional<std::int64_t>> SandboxStore::add_exec(const StoredExec& exec) {
  const ExecSpec& spec = exec.spec;
  const std::string_view command = exec.texts_apart ? "" : std::string_view(spec.command);
  const std::string_view input =
      exec.texts_apart || !spec.stdin_data ? "" : std::string_view(*spec.stdin_data);
  // What is absent is NULL; the statement says so, for a parameter cannot.
  const auto added = database_.run(
      "INSERT INTO execs (sandbox, id, process, instance, state, command, cwd, input, open_input, "
      "timeout, variables, created, changes_session, texts_apart, returncode, output, bytes, "
      "truncated, reason) "
      "VALUES (?, ?, ?, ?, ?, ?, CASE ? WHEN 1 THEN ? END, CASE ? WHEN 1 THEN ? END, ?, ?, ?, ?, "
      "?, ?, 0, '', 0, 0, '') "
      "ON CONFLICT (sandbox, id) DO NOTHING",
      exec.sandbox, spec.id, exec.info.process, exec.instance, static_cast<int>(exec.info.state),
      command, spec.cwd.has_value(), spec.cwd.value_or(""), spec.stdin_data.has_value(), input,
      spec.takes_input, spec.timeout.count(), stored(spec.variables), stored(exec.info.created),
      spec.changes_session, exec.texts_apart);
  if (!added) return fail(added.error());
  if (database_.changes() == 0) return std::nullopt;
  return database_.last_id();
}

Result<std::optional<StoredExec>> SandboxStore::find_exec(std::string_view sandbox,
                                                          std::string_view id) {
  const auto read = [](const Query& row) {
    StoredExec exec = read_exec(row);
    exec.info.output = row.text(20);
    return exec;
  };
  return database_.first(
      read, "SELECT " TALARIA_EXEC_FACTS ", output FROM execs WHERE sandbox = ? AND id = ?",
      sandbox, id);
}

Result<std::vector<StoredExec>> SandboxStore::execs_of(std::string_view sandbox) {
  return database_.all(read_exec,
                       "SELECT " TALARIA_EXEC_FACTS " FROM execs WHERE sandbox = ? ORDER BY number",
                       sandbox);
}

Result<std::vector<StoredExec>> SandboxStore::live_execs() {
  const auto read = [](const Query& row) {
    StoredExec exec = read_exec(row);
    if (!row.is_null(20)) exec.spec.stdin_data = row.text(20);
    return exec;
  };
  return database_.all(
      read, "SELECT " TALARIA_EXEC_FACTS ", input FROM execs WHERE ended IS NULL ORDER BY number");
}

Result<void> SandboxStore::exec_sent(std::int64_t number, std::string_view instance) {
  return database_.run("UPDATE execs SET instance = ? WHERE number = ? AND ended IS NULL", instance,
                       number);
}

Result<void> SandboxStore::exec_ended(std::int64_t number, const ExecInfo& info,
                                      std::string_view command) {
  return database_.run(
      "UPDATE execs SET state = ?, started = CASE ? WHEN 1 THEN ? END, ended = ?, returncode = ?, "
      "output = ?, bytes = ?, truncated = ?, reason = ?, command = ?, input = NULL, variables = "
      "'[]' WHERE number = ? AND ended IS NULL",
      static_cast<int>(info.state), info.started.has_value(),
      stored(info.started.value_or(info.created)), stored(info.ended.value_or(info.created)),
      info.returncode, info.output, info.output_bytes, info.truncated, info.reason,
      first_bytes(command, kMaxStoredCommandBytes), number);
}

}  // namespace talaria::host
