// Databases: SQL counts where it reaches a client.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/sql_text.h"
#include "policy/guard/rules/trial.h"
#include "policy/guard/rules/verbs.h"
#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

bool drops(const Arguments& arguments) {
  return any_sql_line(arguments, [](const std::vector<std::string>& words) {
    return has_pair(words, "drop",
                    "table database schema view role user tablespace keyspace collection "
                    "materialized owned publication subscription type sequence trigger function "
                    "extension domain procedure event foreign aggregate operator cast "
                    "bucket measurement series shard warehouse stage stream graph policy server");
  });
}

// where 1=1, where true
bool is_always_true(std::vector<std::string>::const_iterator from,
                    std::vector<std::string>::const_iterator to) {
  return from != to && (*from == "true" || std::all_of(from, to, [](const std::string& word) {
           return among(word, "1 and or");
         }));
}

bool deletes_all(const Arguments& arguments) {
  return any_sql_line(arguments, [](const std::vector<std::string>& words) {
    if (words.front() == "explain" || !has_pair(words, "delete", "from")) return false;
    const auto where = std::ranges::find(words, "where");
    return where == words.end() || is_always_true(where + 1, words.end());
  });
}

// What changes the server or who may use it.
bool administers(const Arguments& arguments) {
  return any_sql_line(arguments, [](const std::vector<std::string>& words) {
    const std::string& first = words.front();
    if (among(first, "grant revoke shutdown kill")) return words.size() > 1 || first == "shutdown";
    return has_pair(words, "alter", "user role system login database") ||
           has_pair(words, "create", "user role login") || has_pair(words, "purge", "binary") ||
           has_pair(words, "reset", "master slave replica") || has_pair(words, "set", "global") ||
           has_pair(words, "set", "password persist") ||
           (has_pair(words, "alter", "table") &&
            std::ranges::find(words, "delete") != words.end()) ||
           has_pair(words, "detach", "delete") || has_pair(words, "into", "outfile dumpfile") ||
           has_pair(words, "load", "data") ||
           std::ranges::any_of(words, [](const std::string& word) {
             return among(word,
                          "pg_shadow pg_authid authentication_string pg_terminate_backend "
                          "pg_drop_replication_slot lo_unlink dblink_exec");
           });
  });
}

// psql -c TEXT, mysql -e TEXT: anything but a question
bool changes_by_statement(const SeenCommand& command) {
  for (const auto& [letter, name] : {std::pair{'c', "command"}, {'e', "execute"}, {'q', "query"}}) {
    for (const SeenWord& word : option_values(command, letter, name)) {
      std::string_view text = word.text;
      const std::string verb = lower_case(next_word(text));
      if (!verb.starts_with('\\') &&
          !among(verb, "select explain show with desc describe table values use help set")) {
        return true;
      }
    }
  }
  return false;
}

// psql -h db.prod -f down.sql: what is in the file is not known, but where it goes is
bool runs_file_in_production(const Arguments& arguments) {
  const bool file = arguments.has("-f|--file") ||
                    std::ranges::any_of(arguments.command.redirects, [](const SeenRedirect& one) {
                      return one.kind == ShellRedirect::Kind::input;
                    });
  const auto names = [](std::string_view word) {
    const std::string text = lower_case(word);
    return text.contains("prod") || text.contains(".live.") || text.starts_with("live-");
  };
  const auto undoes = [](std::string_view word) {
    const std::string text = lower_case(word);
    for (const std::string_view name : {"down", "drop", "rollback", "wipe", "destroy", "purge"}) {
      if (text.contains(name) && text.ends_with(".sql")) return true;
    }
    return false;
  };
  if (arguments.any_word(names) && changes_by_statement(arguments.command)) return true;
  const bool undone =
      std::ranges::any_of(arguments.command.redirects, [&](const SeenRedirect& redirect) {
        return redirect.kind == ShellRedirect::Kind::input && undoes(redirect.target.text);
      });
  return undone || (file && (arguments.any_word(names) || arguments.any_word(undoes)));
}

bool updates_all(const Arguments& arguments) {
  return any_sql_line(arguments, [](const std::vector<std::string>& words) {
    const auto where = std::ranges::find(words, "where");
    return words.front() == "update" && std::ranges::find(words, "set") != words.end() &&
           (where == words.end() || is_always_true(where + 1, words.end()));
  });
}

bool truncates(const Arguments& arguments) {
  return any_sql_line(arguments, [](const std::vector<std::string>& words) {
    const auto found = std::ranges::find(words, "truncate");
    return found != words.end() && found + 1 != words.end();
  });
}

bool alters(const Arguments& arguments) {
  return any_sql_line(arguments, [](const std::vector<std::string>& words) {
    return has_pair(words, "alter", "table") && has_pair(words, "drop", "column");
  });
}

bool input_or_words(const Arguments& arguments, bool (*test)(const std::string&)) {
  if (arguments.any_word([&](std::string_view word) { return test(lower_case(word)); }))
    return true;
  return arguments.command.input.text && test(lower_case(*arguments.command.input.text));
}

bool flushes_redis(const Arguments& arguments) {
  return input_or_words(arguments, [](const std::string& text) {
    return text.contains("flushall") || text.contains("flushdb") || text == "shutdown" ||
           text == "swapdb" || text.contains("script flush");
  });
}

// mongosh --eval 'db.getSiblingDB("app_test").dropDatabase()'
bool is_of_tests(std::string_view text) {
  constexpr std::string_view kChooses = "getsiblingdb(";
  const std::size_t at = text.find(kChooses);
  if (at == text.npos || text.rfind(kChooses) != at || text.contains("use ")) return false;
  const std::string_view name = text.substr(at + kChooses.size());
  return names_tests(name.substr(0, name.find(')')));
}

bool drops_mongo(const Arguments& arguments) {
  if (is_test_database(arguments)) return false;
  return input_or_words(arguments, [](const std::string& text) {
    if (is_of_tests(text)) return false;
    return text.contains("dropdatabase") || text.contains(".drop(") ||
           text.contains("deletemany({})") || text.contains("remove({})") ||
           text.contains("shutdown") || text.contains("updatemany({}") ||
           text.contains("dropuser") || text.contains("dropcollection") ||
           text.contains("createuser") || text.contains("grantroles");
  });
}

bool mysqladmin_drops(const Arguments& arguments) {
  return arguments.any_operand(
      [](const SeenWord& word) { return among(word.text, "drop shutdown flush-hosts"); });
}

constexpr Rule kDataRules[] = {
    {.key = "SQL DROP",
     .programs = kSqlClients,
     .when = drops,
     .yes = {"psql -c 'DROP TABLE t'", "mysql -e 'drop database d'",
             "sqlite3 a.db <<E\ndrop table t;\nE", "echo 'DROP TABLE t' | psql",
             "mysql --execute='drop table t'", "psql -c 'drop\ntable t'"},
     .no = {"psql -c 'DROP INDEX i'", "git commit -m 'drop table'", "grep 'DROP TABLE' x.sql",
            "psql -c 'select 1 -- drop table t'", "psql -c \"select 'drop table x'\""}},
    {.key = "SQL DELETE without WHERE",
     .programs = kSqlClients,
     .when = deletes_all,
     .yes = {"psql -c 'DELETE FROM users'", "psql -c 'DELETE FROM t\nWHERE id=1'"},
     .no = {"psql -c 'DELETE FROM users WHERE id = 1'"}},
    {.key = "SQL TRUNCATE",
     .programs = kSqlClients,
     .when = truncates,
     .yes = {"psql -c 'TRUNCATE TABLE t'", "mysql -e 'truncate t'"},
     .no = {"truncate -s 0 f"}},
    {.key = "SQL UPDATE without WHERE",
     .programs = kSqlClients,
     .when = updates_all,
     .yes = {"psql -c \"UPDATE users SET admin = true\""},
     .no = {"psql -c \"UPDATE users SET a = 1 WHERE id = 2\""},
     .set = RuleSet::talaria},
    {.key = "SQL ALTER TABLE drops a column",
     .programs = kSqlClients,
     .when = alters,
     .yes = {"psql -c 'ALTER TABLE t DROP COLUMN c'"},
     .no = {"psql -c 'ALTER TABLE t ADD COLUMN c int'"},
     .set = RuleSet::talaria},
    {.key = "SQL that changes the server or who may use it",
     .programs = kSqlClients,
     .when = administers,
     .yes = {"psql -c 'ALTER USER alice WITH SUPERUSER'", "mysql -e \"GRANT ALL ON *.* TO 'x'\"",
             "mysql -e 'PURGE BINARY LOGS BEFORE NOW()'",
             "clickhouse-client -q 'ALTER TABLE e DELETE WHERE 1'"},
     .no = {"psql -c 'select 1'", "psql -c 'alter table t add column c int'",
            "mysql -e 'show grants'"},
     .set = RuleSet::talaria},
    {.key = "SQL file that undoes or reaches production",
     .programs = kSqlClients,
     .when = runs_file_in_production,
     .yes = {"psql -h db.prod.internal -f x.sql", "psql app -f migrations/down.sql",
             "mysql production < x.sql"},
     .no = {"psql app_dev -f schema.sql", "psql test < dump.sql"},
     .set = RuleSet::talaria},
    {.key = "SQL that changes the server or who may use it",
     .programs = "createuser",
     .flags = "-s|--superuser|-r|--createrole|--replication|--bypassrls",
     .yes = {"createuser -s x", "createuser --superuser x"},
     .no = {"createuser app", "createuser -d app"},
     .set = RuleSet::talaria},
    {.key = "drop of a database or database user",
     .programs = "dropdb dropuser",
     .when = [](const Arguments& a) { return !is_test_database(a); },
     .yes = {"dropdb prod", "dropuser alice"},
     .no = {"createdb test"},
     .set = RuleSet::talaria},
    {.key = "drop of a database or database user",
     .programs = "mysqladmin",
     .when = mysqladmin_drops,
     .yes = {"mysqladmin -u root drop prod"},
     .no = {"mysqladmin status"},
     .set = RuleSet::talaria},
    {.key = "redis FLUSHALL/FLUSHDB",
     .programs = "redis-cli valkey-cli",
     .when = flushes_redis,
     .yes = {"redis-cli flushall", "redis-cli -n 1 FLUSHDB", "echo FLUSHALL | redis-cli"},
     .no = {"redis-cli ping", "redis-cli get x"},
     .set = RuleSet::talaria},
    {.key = "redis settings changed or server stopped",
     .programs = "redis-cli valkey-cli",
     .when =
         [](const Arguments& a) {
           const std::string verb = lower_case(a.verb(0));
           return among(verb, "shutdown slaveof replicaof debug failover") ||
                  (verb == "config" && among(lower_case(a.verb(1)), "set rewrite resetstat")) ||
                  (among(verb, "del unlink expire set") &&
                   (among("xargs", a.command.run_by) ||
                    a.any_word([](std::string_view w) { return w.contains("prod"); }))) ||
                  (verb == "acl" && among(lower_case(a.verb(1)), "setuser deluser"));
         },
     .yes = {"redis-cli config set dir /x", "redis-cli REPLICAOF no one"},
     .no = {"redis-cli config get maxmemory", "redis-cli set a b"},
     .set = RuleSet::talaria},
    {.key = "mongo drops a database or collection",
     .programs = "mongorestore",
     .flags = "--drop",
     .yes = {"mongorestore --drop dump/"},
     .no = {"mongorestore dump/", "mongodump"},
     .set = RuleSet::talaria},
    {.key = "mongo drops a database or collection",
     .programs = "mongo mongosh",
     .when = drops_mongo,
     .yes = {"mongo prod --eval 'db.dropDatabase()'", "mongosh --eval 'db.users.drop()'"},
     .no = {"mongosh --eval 'db.users.find()'",
            "mongosh --eval 'db.getSiblingDB(\"app_test\").dropDatabase()'"},
     .set = RuleSet::talaria},
    {.key = "drop of a database or database user",
     .programs = "pg_restore",
     .flags = "-c|--clean",
     .yes = {"pg_restore --clean -d db x.dump", "pg_restore -c -d db x.dump"},
     .no = {"pg_restore -d db x.dump", "pg_restore -l x.dump"},
     .set = RuleSet::talaria},
    {.key = "drop of a database or database user",
     .programs = "pg_dropcluster pg_resetwal pg_resetxlog mysql_secure_installation",
     .yes = {"pg_dropcluster 15 main", "pg_resetwal -f /var/lib/x"},
     .no = {"pg_lsclusters"},
     .set = RuleSet::talaria},
    {.key = "drop of a database or database user",
     .programs = "neo4j-admin nodetool influx cockroach arangorestore",
     .when =
         [](const Arguments& a) {
           return a.any_word([](std::string_view word) {
             return among(word,
                          "delete --overwrite-destination decommission removenode clearsnapshot "
                          "--overwrite assassinate");
           });
         },
     .yes = {"influx bucket delete -n b", "nodetool decommission",
             "neo4j-admin database load x --overwrite-destination"},
     .no = {"influx bucket list", "nodetool status", "neo4j-admin database dump x"},
     .set = RuleSet::talaria},
    {.key = "SQL file that undoes or reaches production",
     .programs =
         "pg_restore mongorestore mongoimport mysqlimport neo4j-admin clickhouse-backup redis-cli",
     .when =
         [](const Arguments& a) {
           return a.any_word([](std::string_view word) { return word.contains("prod"); }) &&
                  (a.command.program != "redis-cli" || a.has("--pipe"));
         },
     .yes = {"pg_restore -d production x.dump", "mongorestore --uri mongodb://prod/x dump/"},
     .no = {"pg_restore -d app_dev x.dump", "pg_restore -l x.dump"},
     .set = RuleSet::talaria},
    {.key = "SQL that a database has made",
     .programs = kSqlClients,
     .when =
         [](const Arguments& a) {
           const SeenInput& input = a.command.input;
           return input.kind == SeenInput::Kind::pipe && !input.text &&
                  !a.has("-c|-f|-e|-q|--command|--file|--execute|--query") &&
                  std::ranges::any_of(input.producers, [](const std::string& program) {
                    return among(program, "psql mysql mariadb sqlcmd sqlplus clickhouse-client");
                  });
         },
     .yes = {"psql -At -c \"select 'drop table '||t from x\" | psql"},
     .no = {"pg_dump a | psql b", "psql -c 'select 1' | wc -l", "cat x.sql | psql dev"},
     .set = RuleSet::talaria},
    {.key = "SQL DROP",
     .programs = "cypher-shell arangosh rethinkdb gremlin hbase",
     .when =
         [](const Arguments& a) {
           return input_or_words(a, [](const std::string& text) {
             return text.contains("delete") || text.contains("drop") || text.contains("remove ");
           });
         },
     .yes = {"cypher-shell -u n 'MATCH (n) DETACH DELETE n'"},
     .no = {"cypher-shell 'MATCH (n) RETURN n'"},
     .set = RuleSet::talaria},
};

}  // namespace

std::span<const Rule> data_rules() { return kDataRules; }

}  // namespace talaria::guard
