#include "host/store/schema.h"

#include <array>
#include <cstddef>
#include <string>

namespace talaria::host {
namespace {

// Each makes the next version of the one before it: only ever append. Times are milliseconds since
// 1970 by this machine's clock, but for events.time of what a runner reported (the target's).
constexpr auto kMigrations = std::to_array<const char*>({
    R"sql(
      -- type and ended: the numbers of EventType and ProcessEnd. told: consumers get it, unless it
      -- is the end of a process and that is in `consumed`.
      CREATE TABLE events (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        instance TEXT NOT NULL, number INTEGER,
        type INTEGER NOT NULL, process TEXT NOT NULL, task TEXT NOT NULL,
        session_key TEXT NOT NULL, target TEXT NOT NULL, command TEXT NOT NULL,
        time INTEGER NOT NULL, announced INTEGER NOT NULL, ended INTEGER NOT NULL,
        exit_code INTEGER NOT NULL, source TEXT NOT NULL, output TEXT NOT NULL,
        pattern TEXT NOT NULL, suppressed INTEGER NOT NULL, message TEXT NOT NULL,
        told INTEGER NOT NULL, stored INTEGER NOT NULL);
      CREATE UNIQUE INDEX event_once ON events (instance, number);
      CREATE UNIQUE INDEX completion_once ON events (process) WHERE type = 0 AND process <> '';
      CREATE UNIQUE INDEX lost_once ON events (instance) WHERE type = 5 AND instance <> '';
      CREATE INDEX event_told ON events (told, id);

      -- The highest number there is of each instance of a runner, also when its events are gone.
      CREATE TABLE instances (
        instance TEXT PRIMARY KEY, last INTEGER NOT NULL, stored INTEGER NOT NULL) WITHOUT ROWID;

      CREATE TABLE consumers (
        name TEXT PRIMARY KEY, cursor INTEGER NOT NULL, moved INTEGER NOT NULL) WITHOUT ROWID;

      -- Processes whose end somebody has read.
      CREATE TABLE consumed (
        process TEXT PRIMARY KEY, stored INTEGER NOT NULL) WITHOUT ROWID;

      -- How far a named reader has read the output of a process.
      CREATE TABLE marks (
        process TEXT NOT NULL, name TEXT NOT NULL, cursor INTEGER NOT NULL,
        stored INTEGER NOT NULL, PRIMARY KEY (process, name)) WITHOUT ROWID;

      CREATE TABLE processes (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, task TEXT NOT NULL,
        target TEXT NOT NULL, environment TEXT NOT NULL, instance TEXT NOT NULL,
        session_key TEXT NOT NULL, command TEXT NOT NULL, started INTEGER NOT NULL,
        stored INTEGER NOT NULL, ended INTEGER);
      CREATE INDEX running_at ON processes (environment) WHERE ended IS NULL;
    )sql",
    R"sql(
      -- Commands somebody was to be asked about. rules: a JSON list. state: the number of
      -- ApprovalState. machine: the boot of the machine its caller waits on, '' if nobody waits.
      CREATE TABLE approvals (
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
        session_key TEXT NOT NULL, task TEXT NOT NULL, command TEXT NOT NULL,
        description TEXT NOT NULL, rules TEXT NOT NULL, target TEXT NOT NULL, cwd TEXT NOT NULL,
        permanent INTEGER NOT NULL, machine TEXT NOT NULL, pid INTEGER NOT NULL,
        created INTEGER NOT NULL, expires INTEGER NOT NULL, state INTEGER NOT NULL,
        choice TEXT NOT NULL, answered INTEGER NOT NULL, answerer TEXT NOT NULL);
      CREATE INDEX approvals_open ON approvals (state, number);

      -- What was allowed beyond one command. session_key '' and until NULL: for good.
      CREATE TABLE grants (
        session_key TEXT NOT NULL, target TEXT NOT NULL, rule TEXT NOT NULL,
        granted INTEGER NOT NULL, until INTEGER,
        PRIMARY KEY (session_key, target, rule)) WITHOUT ROWID;
    )sql",
    R"sql(
      -- Who may use the gateway. hash: of the secret half, SHA-256. scope: JSON.
      CREATE TABLE tokens (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, user TEXT NOT NULL, hash TEXT NOT NULL,
        scope TEXT NOT NULL, created INTEGER NOT NULL, revoked INTEGER) WITHOUT ROWID;
      CREATE UNIQUE INDEX token_name ON tokens (name) WHERE revoked IS NULL;

      -- state: the number of SandboxState. request: the idempotency key, '' if there was none;
      -- digest: of what was asked for with it. spec: JSON.
      CREATE TABLE sandboxes (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, request TEXT NOT NULL, digest TEXT NOT NULL,
        spec TEXT NOT NULL, target TEXT NOT NULL, state INTEGER NOT NULL, directory TEXT NOT NULL,
        restored INTEGER NOT NULL, created INTEGER NOT NULL, used INTEGER NOT NULL,
        ended INTEGER) WITHOUT ROWID;
      CREATE UNIQUE INDEX sandbox_request ON sandboxes (owner, request) WHERE request <> '';
      CREATE INDEX sandboxes_live ON sandboxes (created) WHERE ended IS NULL;

      -- state: the number of ExecState. instance: of the runner that was asked to start it, '' if
      -- none was. variables: a JSON list. input NULL: /dev/null.
      CREATE TABLE execs (
        number INTEGER PRIMARY KEY, sandbox TEXT NOT NULL, id TEXT NOT NULL,
        process TEXT NOT NULL, instance TEXT NOT NULL, state INTEGER NOT NULL,
        command TEXT NOT NULL, cwd TEXT, input TEXT, open_input INTEGER NOT NULL,
        timeout INTEGER NOT NULL, variables TEXT NOT NULL, created INTEGER NOT NULL,
        started INTEGER, ended INTEGER, returncode INTEGER NOT NULL, output TEXT NOT NULL,
        bytes INTEGER NOT NULL, truncated INTEGER NOT NULL, reason TEXT NOT NULL,
        UNIQUE (sandbox, id));
      CREATE INDEX execs_live ON execs (number) WHERE ended IS NULL;

      -- What is kept of sandboxes, the newest one for each key of an owner. place: where it is.
      CREATE TABLE snapshots (
        owner TEXT NOT NULL, logical_key TEXT NOT NULL, target TEXT NOT NULL, place TEXT NOT NULL,
        created INTEGER NOT NULL, PRIMARY KEY (owner, logical_key, target)) WITHOUT ROWID;
    )sql",
    R"sql(
      -- keep: of one that is being terminated, that what is in it becomes a snapshot first.
      ALTER TABLE sandboxes ADD COLUMN keep INTEGER NOT NULL DEFAULT 0;
    )sql",
    R"sql(
      -- covers, lasts: what an answer allows beyond one call, and for how many seconds (0: no end).
      -- offers, notices: what the question offered and mentioned, JSON. asker_boot and asker_start name, with pid, the
      -- program that asked, whether it waits or not.
      ALTER TABLE approvals ADD COLUMN covers TEXT NOT NULL DEFAULT '';
      ALTER TABLE approvals ADD COLUMN lasts INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE approvals ADD COLUMN offers TEXT NOT NULL DEFAULT '[]';
      ALTER TABLE approvals ADD COLUMN notices TEXT NOT NULL DEFAULT '[]';
      ALTER TABLE approvals ADD COLUMN asker_boot TEXT NOT NULL DEFAULT '';
      ALTER TABLE approvals ADD COLUMN asker_start INTEGER NOT NULL DEFAULT 0;
      -- Who waited for an answer has acted on it.
      UPDATE approvals SET state = 3 WHERE state = 1 AND machine <> '';

      -- What was allowed beyond one call. NULL: any session, task, directory, command; no end.
      -- digest: of the command. command: how it began, for people. Those of before covered a rule
      -- at a target (or one unclear command there); they count once a person has confirmed them.
      CREATE TABLE new_grants (
        id TEXT PRIMARY KEY, rule TEXT NOT NULL, target TEXT NOT NULL, session_key TEXT, task TEXT,
        directory TEXT, digest TEXT, command TEXT NOT NULL, granted INTEGER NOT NULL,
        grantor TEXT NOT NULL, until INTEGER, confirmed INTEGER NOT NULL,
        noticed INTEGER NOT NULL) WITHOUT ROWID;
      INSERT INTO new_grants SELECT 'grant_' || lower(hex(randomblob(6))),
        iif(instr(rule, ': sha256 ') > 0, substr(rule, 1, instr(rule, ': sha256 ') - 1), rule),
        target, nullif(session_key, ''), NULL, NULL,
        iif(instr(rule, ': sha256 ') > 0, substr(rule, instr(rule, ': sha256 ') + 9), NULL),
        '', granted, '', until, 0, 0 FROM grants;
      DROP TABLE grants;
      ALTER TABLE new_grants RENAME TO grants;
    )sql",
    R"sql(
      -- Whether what an exec changes in the session of its sandbox is kept.
      ALTER TABLE execs ADD COLUMN changes_session INTEGER NOT NULL DEFAULT 0;
    )sql",
    R"sql(
      -- Calls that outlive the requests they were made by. answer: JSON, empty until there is one.
      -- boot, pid and start name the program that makes it.
      CREATE TABLE calls (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, tool TEXT NOT NULL, began INTEGER NOT NULL,
        answer TEXT NOT NULL, boot TEXT NOT NULL, pid INTEGER NOT NULL, start INTEGER NOT NULL,
        end_wanted INTEGER NOT NULL) WITHOUT ROWID;
    )sql",
    R"sql(
      -- digest: of all that the command depends on; two questions with one digest are the same.
      -- details: what of that a person sees beside the command, JSON.
      ALTER TABLE approvals ADD COLUMN digest TEXT NOT NULL DEFAULT '';
      ALTER TABLE approvals ADD COLUMN details TEXT NOT NULL DEFAULT '[]';
    )sql",
    R"sql(
      -- Sessions that have run in an environment whose target may lose them.
      CREATE TABLE sessions (
        number INTEGER PRIMARY KEY, environment TEXT NOT NULL, session TEXT NOT NULL,
        began INTEGER NOT NULL, UNIQUE (environment, session));
    )sql",
    R"sql(
      -- Whether the command and the input of an exec are in files (src/sandboxes/exec_texts.h). Then
      -- both are empty here.
      ALTER TABLE execs ADD COLUMN texts_apart INTEGER NOT NULL DEFAULT 0;
    )sql",
    R"sql(
      -- What the person who denied a command wrote to its caller.
      ALTER TABLE approvals ADD COLUMN words TEXT NOT NULL DEFAULT '';
    )sql",
});

Result<int> version_of(Database& database) {
  const auto version = database.first_count("PRAGMA user_version");
  if (!version) return fail(version.error());
  return static_cast<int>(*version);
}

Result<void> refuse_newer(const Database& database, int version) {
  if (version >= 0 && version <= schema_version()) return {};
  return fail(ErrorKind::unavailable,
              database.path() + " was made by a newer version of Talaria (its tables are version " +
                  std::to_string(version) + ", this program knows " +
                  std::to_string(schema_version()) +
                  "). Use that version here, or another TALARIA_HOME.");
}

// One step. Somebody else may have made it while we waited for our turn.
Result<void> step(Database& database, int from) {
  auto transaction = Transaction::begin(database);
  if (!transaction) return fail(transaction.error());
  const auto version = version_of(database);
  if (!version) return fail(version.error());
  if (*version != from) return {};
  if (const auto made = database.run_script(kMigrations[static_cast<std::size_t>(from)]); !made) {
    return made;
  }
  const std::string number = std::to_string(from + 1);
  if (const auto set = database.run_script("PRAGMA user_version = " + number); !set) return set;
  return transaction->commit();
}

}  // namespace

int schema_version() { return static_cast<int>(kMigrations.size()); }

Result<void> migrate(Database& database) {
  for (;;) {
    const auto version = version_of(database);
    if (!version) return fail(version.error());
    if (*version == schema_version()) return {};
    if (const auto known = refuse_newer(database, *version); !known) return known;
    if (const auto made = step(database, *version); !made) return made;
  }
}

}  // namespace talaria::host
