// Data on servers that others use: what changes it, and migrations that run in production.
#include <algorithm>
#include <string>
#include <vector>

#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/sending.h"
#include "policy/guard/rules/sql_text.h"
#include "policy/guard/rules/trial.h"
#include "policy/guard/rules/verbs.h"
#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

// Clients whose databases are always elsewhere.
constexpr std::string_view kHostedClients = "bq snowsql snow turso spanner-cli";

// Options of clients that name a server, or a place where one is written down.
struct ServerOption {
  std::string_view programs;
  char letter;
  std::string_view name;
};
constexpr ServerOption kServerOptions[] = {
    {"sqlcmd sqlcmd.exe tsql isql", 'S', "server"},
    {"psql pgcli psql.exe", 'd', "dbname"},
    {"beeline", 'u', "url"},
    {"influx redis-cli valkey-cli iredis", 'u', "host"},
    {"redis-cli valkey-cli iredis", 'h', "url"},
    {"cockroach", '\0', "url"},
    {"trino presto", '\0', "server"},
    {"mongo mongosh mongorestore mongoimport", '\0', "uri"},
    {"", 'h', "host"},
};

// A word that is, or has, an address: a URL, user@host, host=x of a connection.
bool is_other_server(std::string_view address) {
  const std::size_t named = address.find("host=");
  if (named != std::string_view::npos) {
    address.remove_prefix(named + 5);
    address = address.substr(0, address.find_first_of(" &;"));
  }
  if (address.starts_with("jdbc:")) address.remove_prefix(5);
  for (const std::string_view start : {"tcp:", "np:", "lpc:"}) {
    if (address.starts_with(start)) address.remove_prefix(start.size());
  }
  address = address.substr(0, address.find(','));  // host,1433
  if (address.starts_with('/') || address == "." || address.contains("sqlite:")) return false;
  return address.contains(kUnknownPiece) || !is_local_host(address);
}

// Whether an address that is not known counts as that of another server.
enum class Unknown { counts, does_not };

// Whether the database is one that is not clearly on this machine or for tests.
bool reaches_server(const Arguments& arguments, Unknown unknown = Unknown::counts) {
  const SeenCommand& command = arguments.command;
  const auto is_other = [&](std::string_view address) {
    const bool given = !address.contains(kUnknownPiece) || unknown == Unknown::counts;
    return given && is_other_server(address);
  };
  if (is_scratch_database(arguments)) return false;
  if (among(command.program, kHostedClients)) return true;
  if (command.program == "wrangler") return arguments.has("--remote");
  if (among(command.program, "sqlite3 sqlite duckdb litecli")) return false;
  if (arguments.has("--defaults-file*|--defaults-extra-file*|--login-path*|--defaults-group*")) {
    return true;
  }
  for (const SeenAssignment& one : command.variables) {
    if (among(one.name, "PGHOST PGSERVICE MYSQL_HOST") && is_other(one.value.text)) {
      return true;
    }
  }
  for (const ServerOption& option : kServerOptions) {
    if (!option.programs.empty() && !among(command.program, option.programs)) continue;
    for (const SeenWord& word : option_values(command, option.letter, option.name)) {
      const bool name = option.name == "dbname" && word.text.find_first_of(":=") == word.text.npos;
      if (!name && is_other(word.text)) return true;
    }
  }
  const bool hosts = among(command.program, "cqlsh");  // the operand is a host
  return arguments.any_operand([&](const SeenWord& word) {
    const std::string_view text = word.text;
    if (text.find_first_of(" ;(") != text.npos && !text.contains("host=")) return false;
    const bool lonely = text == std::string_view(&kUnknownPiece, 1);  // psql "$URL"
    const bool address =
        text.contains("://") || text.contains("host=") || lonely || (hosts && text.contains('.'));
    return address && is_other(text);
  });
}

bool speaks_of_production(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    return word.find_first_of(" ;(") == word.npos && names_production(word);
  });
}

bool changes_rows(const std::vector<std::string>& words) {
  const std::string& first = words.front();
  if (words.size() < 2) return false;
  if (first == "explain") return false;
  if (first == "copy") return std::ranges::find(words, "from") != words.end();
  if (has_pair(words, "create", "temp temporary")) return false;
  return among(first,
               "delete update insert alter truncate drop grant revoke replace merge upsert create "
               "rename vacuum reindex refresh optimize kill purge call reset") ||
         has_pair(words, "delete", "from") || has_pair(words, "insert", "into");
}

bool changes_data_elsewhere(const Arguments& arguments) {
  if (!reaches_server(arguments) && !speaks_of_production(arguments)) return false;
  return any_sql_line(arguments, changes_rows);
}

// mysql -h db.example.com app < x.sql; pg_dump a | psql -h db.example.com b
bool fills_database_elsewhere(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  if (only_rehearses(arguments) || !reaches_server(arguments, Unknown::does_not)) return false;
  const bool unseen = command.input.kind == SeenInput::Kind::pipe && !command.input.text;
  const bool dumped = std::ranges::any_of(command.input.producers, [](const std::string& program) {
    return among(program,
                 "pg_dump pg_dumpall mysqldump mariadb-dump mydumper mongodump pg_restore "
                 "zcat gunzip gzip unxz xzcat zstd zstdcat bzcat pv");
  });
  const bool file = (arguments.has("-f|--file") && !among(command.program, "mysql mariadb bq")) ||
                    (command.program.starts_with("sqlcmd") && arguments.has("-i")) ||
                    std::ranges::any_of(command.redirects, [](const SeenRedirect& one) {
                      return one.kind == ShellRedirect::Kind::input;
                    });
  return unseen || dumped || file;
}

bool restores_elsewhere(const Arguments& arguments) {
  return !arguments.has("-l|--list|--help|--dryRun") &&
         reaches_server(arguments, Unknown::does_not);
}

bool input_or_word_has(const Arguments& arguments, std::string_view calls) {
  const auto has = [&](std::string_view text) {
    const std::string lower = lower_case(text);
    for (std::string_view rest = calls; !rest.empty();) {
      if (lower.contains("." + std::string(next_word(rest)) + "(")) return true;
    }
    return false;
  };
  return arguments.any_word(has) ||
         (arguments.command.input.text && has(*arguments.command.input.text));
}

bool changes_mongo_elsewhere(const Arguments& arguments) {
  if (!reaches_server(arguments) && !speaks_of_production(arguments)) return false;
  return input_or_word_has(arguments,
                           "deleteone deletemany updateone updatemany insertone insertmany "
                           "replaceone findoneanddelete findoneandupdate findoneandreplace "
                           "findandmodify remove update insert save bulkwrite drop dropindex "
                           "dropindexes createindex renamecollection createcollection createuser "
                           "updateuser runcommand admincommand");
}

bool changes_redis_elsewhere(const Arguments& arguments) {
  constexpr std::string_view kWrites =
      "set del unlink expire expireat persist hset hdel hmset lpush rpush lpop rpop ltrim lrem "
      "sadd srem spop zadd zrem rename renamenx eval evalsha xadd xtrim xdel incr incrby decr "
      "decrby getdel append mset setex setnx flushall flushdb migrate restore move copy publish "
      "config cluster script function save bgsave acl client";
  if (!reaches_server(arguments) && !speaks_of_production(arguments)) return false;
  const std::string verb = lower_case(arguments.verb(0));
  if (among(verb, "config cluster acl client script function")) {
    return !among(lower_case(arguments.verb(1)), "get list info nodes slots whoami load help");
  }
  return among(verb, kWrites) || arguments.has("--pipe|--eval");
}

// --- migrations

struct Migrator {
  std::string_view programs;
  std::string_view words;
};
constexpr Migrator kMigrators[] = {
    {"prisma", "deploy push execute reset seed resolve"},
    {"alembic flask", "upgrade downgrade stamp"},
    {"flyway", "migrate repair baseline undo clean"},
    {"liquibase",
     "update update-count update-to-tag rollback rollback-count rollback-to-date "
     "changelog-sync drop-all dropAll"},
    {"knex", "migrate:latest migrate:up migrate:down migrate:rollback migrate:unlock seed:run"},
    {"typeorm typeorm-ts-node-commonjs", "migration:run migration:revert schema:sync schema:drop"},
    {"sequelize sequelize-cli", "db:migrate db:migrate:undo db:seed db:seed:all db:drop"},
    {"mikro-orm", "migration:up migration:down schema:update"},
    {"drizzle-kit", "push migrate drop"},
    {"rails rake",
     "db:migrate db:migrate:up db:migrate:down db:migrate:redo db:rollback db:seed db:setup "
     "db:prepare db:schema:load db:reset db:drop db:environment:set data:migrate runner"},
    {"manage.py django-admin",
     "migrate loaddata createsuperuser changepassword flush dbshell clearsessions "
     "remove_stale_contenttypes"},
    {"mix", "ecto.migrate ecto.rollback ecto.reset ecto.drop ecto.setup"},
    {"artisan", "migrate migrate:rollback migrate:refresh migrate:fresh db:seed db:wipe"},
    {"console doctrine phinx", "doctrine:migrations:migrate migrations:migrate migrate rollback"},
    {"dbmate goose migrate sqlx diesel atlas tern sql-migrate migra refinery piccolo aerich yoyo",
     "up down migrate run apply goto force redo revert upgrade downgrade rollback reset drop"},
    {"dotnet", "update drop"},
    {"mvn mvnw gradle gradlew",
     "flyway:migrate flyway:repair flyway:undo flyway:clean flywayMigrate flywayClean "
     "flywayRepair liquibase:update liquibase:rollback update"},
    {"sqitch", "deploy revert rebase"},
    {"supabase", "push reset"},
    {"npm yarn pnpm bun make just task composer",
     "migrate db:migrate migration:run migrations:run migrate:up migrate:latest db:push "
     "db:seed seed db:deploy migrate:deploy db-migrate"},
};

// Every word, and the words in texts that something else runs.
std::vector<std::string> all_words(const Arguments& arguments) {
  std::vector<std::string> words;
  for (const SeenWord& word : arguments.command.words) {
    std::string text = word.text;
    std::ranges::replace_if(
        text, [](char c) { return c == ';' || c == '&' || c == '|' || c == '\n'; }, ' ');
    for (std::string_view rest = text; !rest.empty();) {
      if (const std::string_view one = next_word(rest); !one.empty()) words.emplace_back(one);
    }
  }
  return words;
}

bool migrates(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view name = base_name(words[i]);
    for (const Migrator& one : kMigrators) {
      if (!among(name, one.programs)) continue;
      const bool found =
          std::any_of(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end(),
                      [&](const std::string& word) { return among(word, one.words); });
      if (found) return true;
    }
  }
  return false;
}

// DATABASE_URL=$PROD_URL, RAILS_ENV=production
bool is_set_for_production(const SeenCommand& command) {
  return std::ranges::any_of(command.variables, [](const SeenAssignment& one) {
    const std::string_view value = one.value.text;
    if (names_production(value)) return true;
    const bool address = one.name.ends_with("_URL") || one.name.ends_with("_URI") ||
                         one.name.ends_with("_DSN") || one.name == "PGHOST";
    return address && !value.empty() && !names_trial(value) && is_other_server(value);
  });
}

// Programs that run a command where the application lives.
constexpr std::string_view kHostingPrograms =
    "heroku fly flyctl railway kamal eb scalingo dokku cf render platform clever gigalixir aptible "
    "porter convox nanobox";

bool migrates_production(const Arguments& arguments) {
  if (only_rehearses(arguments)) return false;
  const std::vector<std::string> words = all_words(arguments);
  if (!migrates(words)) return false;
  if (among(arguments.command.program, kHostingPrograms)) {
    return std::ranges::none_of(words, [](const std::string& word) { return names_trial(word); });
  }
  return is_set_for_production(arguments.command) ||
         std::ranges::any_of(words, [](const std::string& word) {
           if (names_production(word)) return true;
           // --url=jdbc:postgresql://db.example.com/x
           return word.contains("://") && !word.starts_with("http") &&
                  !word.contains(kUnknownPiece) && is_other_server(word.substr(word.find("://")));
         });
}

// npm run migrate:prod, make migrate-production, NODE_ENV=production npm run db:wipe
bool runs_production_script(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  const bool shows = among(command.program, "make gmake just") && arguments.has("-n");
  if (only_rehearses(arguments) || shows) return false;
  const auto is_setting = [](std::string_view word) {
    return word.contains('=') && !word.contains('/') && names_production(word);
  };
  const bool production =
      std::ranges::any_of(command.variables,
                          [](const SeenAssignment& one) {
                            return one.value.known() && names_production(one.value.text);
                          }) ||
      arguments.any_word(is_setting);
  return arguments.any_operand([&](const SeenWord& word) {
    const std::string text = lower_case(word.text);
    if (text.contains('/') || text.contains('=')) return false;
    const auto has = [&](std::string_view mark) { return text.contains(mark); };
    static constexpr std::string_view kHarms[] = {"migrat", "seed",  "rollback", "destroy", "drop",
                                                  "wipe",   "reset", "teardown", "delete"};
    static constexpr std::string_view kPuts[] = {"deploy", "release", "push"};
    return (production || names_production(text)) &&
           (std::ranges::any_of(kHarms, has) ||
            (names_production(text) && std::ranges::any_of(kPuts, has)));
  });
}

constexpr auto kServerRules = only_ours(std::to_array<Rule>({
    {.key = "change of data on a server",
     .programs = kSqlClients,
     .when = changes_data_elsewhere,
     .why = "changes a database that is not clearly one of this machine or for tests",
     .yes = {"psql -h db.example.com app -c 'DELETE FROM t WHERE id = 1'",
             "mysql --defaults-file=~/.my.cnf crm <<'S'\nBEGIN;\nDELETE FROM t WHERE a = 1;\nS",
             "psql \"$URL\" -c 'update t set a = 1 where b = 2'",
             "bq query --use_legacy_sql=false 'DELETE FROM d.t WHERE x = 1'",
             "sqlcmd -S sql.example.com -Q 'UPDATE t SET a = 1 WHERE b = 2'",
             "echo \"insert into t values (1)\" | psql -h db.example.com app"},
     .no = {"psql -h db.example.com app -c 'select 1'", "psql -c 'DELETE FROM t WHERE id = 1'",
            "psql -h localhost app -c 'update t set a = 1 where b = 2'",
            "psql -h db.example.com app_test -c 'insert into t values (1)'", "bq query 'select 1'",
            "psql \"$URL\" -c '\\dt'"}},
    {.key = "change of data on a server",
     .programs = kSqlClients,
     .when = fills_database_elsewhere,
     .why = "fills a database of a server",
     .yes = {"pg_dump shop | psql -h 198.51.100.30 shop_copy",
             "mysql -h db.example.com app < dump.sql", "psql -h db.example.com -f x.sql"},
     .no = {"pg_dump shop | psql shop_copy", "psql -h localhost app < dump.sql",
            "psql -f schema.sql"}},
    {.key = "change of data on a server",
     .programs = "pg_restore mongorestore mongoimport mysqlimport arangorestore clickhouse-backup",
     .when = restores_elsewhere,
     .yes = {"pg_restore -h db.example.com -d app x.dump",
             "mongorestore --uri mongodb+srv://c.example.net dump/"},
     .no = {"pg_restore -d app x.dump", "pg_restore -l x.dump", "mongorestore dump/"}},
    {.key = "change of data on a server",
     .programs = "mongo mongosh",
     .when = changes_mongo_elsewhere,
     .yes = {"mongosh \"mongodb+srv://c.example.net/app\" --eval 'db.u.deleteMany({a:1})'",
             "mongosh mongodb://db.example.com/app <<< 'db.u.updateOne({_id:1},{$set:{a:2}})'"},
     .no = {"mongosh --eval 'db.c.deleteOne({_id:1})'",
            "mongosh mongodb+srv://c.example.net/app --eval 'db.u.find({a:1})'",
            "mongosh mongodb://localhost/app --eval 'db.u.deleteMany({a:1})'"}},
    {.key = "change of data on a server",
     .programs = "redis-cli valkey-cli iredis",
     .when = changes_redis_elsewhere,
     .yes = {"redis-cli -h cache.example.com del session:1",
             "redis-cli -u rediss://c.example.com:6379 set a b"},
     .no = {"redis-cli -h cache.example.com get a", "redis-cli set a b",
            "redis-cli -h localhost del a"}},
    {.key = "change of data on a server",
     .programs = "bq",
     .verbs = "cp|insert|undelete|partition",
     .yes = {"bq cp d.t other.t"},
     .no = {"bq ls", "bq show d.t"}},
    {.key = "migration or task in production",
     .programs =
         "prisma alembic flask flyway liquibase knex typeorm typeorm-ts-node-commonjs sequelize "
         "sequelize-cli mikro-orm drizzle-kit rails rake manage.py django-admin mix artisan "
         "console doctrine phinx dbmate goose migrate sqlx diesel atlas tern sql-migrate refinery "
         "piccolo aerich yoyo dotnet mvn mvnw gradle gradlew sqitch supabase npm yarn pnpm bun "
         "make just task composer npx bunx bundle poetry uv pipenv hatch pdm python python3 php "
         "ruby node dotenv dotenvx env doppler op infisical aws-vault chamber kubectl oc k ssh "
         "docker heroku fly flyctl railway kamal eb scalingo dokku cf render platform clever "
         "gigalixir aptible porter convox nanobox gcloud aws cross-env",
     .when = migrates_production,
     .why = "changes the database of what others use",
     .yes = {"heroku run rails db:migrate -a shop-prod",
             "DATABASE_URL=$PROD_DATABASE_URL npx prisma migrate deploy",
             "RAILS_ENV=production bin/rails db:migrate",
             "fly ssh console -C 'bin/rails db:migrate'", "alembic -n production upgrade head",
             "dotenv -e .env.production -- npx prisma migrate deploy"},
     .no = {"npx prisma migrate dev", "rails db:migrate", "RAILS_ENV=test rails db:migrate",
            "heroku run rails console", "NODE_ENV=production npm run build",
            "heroku run rails db:migrate -a shop-staging"}},
    {.key = "migration or task in production",
     .programs = "npm yarn pnpm bun make gmake just task rake composer invoke inv nox",
     .when = runs_production_script,
     .yes = {"npm run migrate:prod", "make deploy-production", "just --yes destroy-prod",
             "make ENV=production db-drop", "NODE_ENV=production npm run db:wipe"},
     .no = {"npm run build:prod", "make test", "npm run deploy:staging", "make -n deploy-prod",
            "NODE_ENV=production npm run build"}},
}));

}  // namespace

std::span<const Rule> server_rules() { return kServerRules; }

}  // namespace talaria::guard
