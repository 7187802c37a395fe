-- What version 0.1.0 wrote into talaria.db.
PRAGMA journal_mode = WAL;
BEGIN TRANSACTION;
CREATE TABLE approvals (
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
        session_key TEXT NOT NULL, task TEXT NOT NULL, command TEXT NOT NULL,
        description TEXT NOT NULL, rules TEXT NOT NULL, target TEXT NOT NULL, cwd TEXT NOT NULL,
        permanent INTEGER NOT NULL, machine TEXT NOT NULL, pid INTEGER NOT NULL,
        created INTEGER NOT NULL, expires INTEGER NOT NULL, state INTEGER NOT NULL,
        choice TEXT NOT NULL, answered INTEGER NOT NULL, answerer TEXT NOT NULL);
CREATE TABLE consumed (
        process TEXT PRIMARY KEY, stored INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE consumers (
        name TEXT PRIMARY KEY, cursor INTEGER NOT NULL, moved INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE events (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        instance TEXT NOT NULL, number INTEGER,
        type INTEGER NOT NULL, process TEXT NOT NULL, task TEXT NOT NULL,
        session_key TEXT NOT NULL, target TEXT NOT NULL, command TEXT NOT NULL,
        time INTEGER NOT NULL, announced INTEGER NOT NULL, ended INTEGER NOT NULL,
        exit_code INTEGER NOT NULL, source TEXT NOT NULL, output TEXT NOT NULL,
        pattern TEXT NOT NULL, suppressed INTEGER NOT NULL, message TEXT NOT NULL,
        told INTEGER NOT NULL, stored INTEGER NOT NULL);
INSERT INTO "events" VALUES(1,'a41168f5f1ba6b45534b4920ff3397fa',1,0,'proc_82f2e75f4ea4','before','','local','echo old output; exit 3',1794859081359,1,0,3,'','old output
','',0,'',1,1794859083170);
INSERT INTO "events" VALUES(2,'a41168f5f1ba6b45534b4920ff3397fa',2,0,'proc_4b295607c6f0','default','','local','echo second; sleep 0.1',1794859081693,0,0,0,'','second
','',0,'',0,1794859083170);
CREATE TABLE execs (
        number INTEGER PRIMARY KEY, sandbox TEXT NOT NULL, id TEXT NOT NULL,
        process TEXT NOT NULL, instance TEXT NOT NULL, state INTEGER NOT NULL,
        command TEXT NOT NULL, cwd TEXT, input TEXT, open_input INTEGER NOT NULL,
        timeout INTEGER NOT NULL, variables TEXT NOT NULL, created INTEGER NOT NULL,
        started INTEGER, ended INTEGER, returncode INTEGER NOT NULL, output TEXT NOT NULL,
        bytes INTEGER NOT NULL, truncated INTEGER NOT NULL, reason TEXT NOT NULL,
        UNIQUE (sandbox, id));
CREATE TABLE grants (
        session_key TEXT NOT NULL, target TEXT NOT NULL, rule TEXT NOT NULL,
        granted INTEGER NOT NULL, until INTEGER,
        PRIMARY KEY (session_key, target, rule)) WITHOUT ROWID;
CREATE TABLE instances (
        instance TEXT PRIMARY KEY, last INTEGER NOT NULL, stored INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO "instances" VALUES('a41168f5f1ba6b45534b4920ff3397fa',2,1794859083170);
CREATE TABLE marks (
        process TEXT NOT NULL, name TEXT NOT NULL, cursor INTEGER NOT NULL,
        stored INTEGER NOT NULL, PRIMARY KEY (process, name)) WITHOUT ROWID;
CREATE TABLE processes (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, task TEXT NOT NULL,
        target TEXT NOT NULL, environment TEXT NOT NULL, instance TEXT NOT NULL,
        session_key TEXT NOT NULL, command TEXT NOT NULL, started INTEGER NOT NULL,
        stored INTEGER NOT NULL, ended INTEGER);
INSERT INTO "processes" VALUES(1,'proc_82f2e75f4ea4','before','local','local/default','a41168f5f1ba6b45534b4920ff3397fa','','echo old output; exit 3',1794859081353,1794859081502,1794859083170);
INSERT INTO "processes" VALUES(2,'proc_4b295607c6f0','default','local','local/default','a41168f5f1ba6b45534b4920ff3397fa','','echo second; sleep 0.1',1794859081573,1794859081574,1794859083170);
CREATE TABLE sandboxes (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, request TEXT NOT NULL, digest TEXT NOT NULL,
        spec TEXT NOT NULL, target TEXT NOT NULL, state INTEGER NOT NULL, directory TEXT NOT NULL,
        restored INTEGER NOT NULL, created INTEGER NOT NULL, used INTEGER NOT NULL,
        ended INTEGER, keep INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE snapshots (
        owner TEXT NOT NULL, logical_key TEXT NOT NULL, target TEXT NOT NULL, place TEXT NOT NULL,
        created INTEGER NOT NULL, PRIMARY KEY (owner, logical_key, target)) WITHOUT ROWID;
CREATE TABLE tokens (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, user TEXT NOT NULL, hash TEXT NOT NULL,
        scope TEXT NOT NULL, created INTEGER NOT NULL, revoked INTEGER) WITHOUT ROWID;
INSERT INTO "tokens" VALUES('2c40daf04dfef1fb','ci','ci','377b63942a856397bd8bed14aeb8c87e500c5ccabc3b8d02d79be8445ec5a975','{"targets":[],"images":[],"sandboxes":0,"execs":0,"rate":0,"approve":false}',1794859081528,NULL);
CREATE UNIQUE INDEX event_once ON events (instance, number);
CREATE UNIQUE INDEX completion_once ON events (process) WHERE type = 0 AND process <> '';
CREATE UNIQUE INDEX lost_once ON events (instance) WHERE type = 5 AND instance <> '';
CREATE INDEX event_told ON events (told, id);
CREATE INDEX running_at ON processes (environment) WHERE ended IS NULL;
CREATE INDEX approvals_open ON approvals (state, number);
CREATE UNIQUE INDEX token_name ON tokens (name) WHERE revoked IS NULL;
CREATE UNIQUE INDEX sandbox_request ON sandboxes (owner, request) WHERE request <> '';
CREATE INDEX sandboxes_live ON sandboxes (created) WHERE ended IS NULL;
CREATE INDEX execs_live ON execs (number) WHERE ended IS NULL;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('events',2);
COMMIT;
PRAGMA user_version = 4;
