// SQL as it reaches a client of a database: in its words, on its input.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/rules/arguments.h"

namespace talaria::guard {

inline constexpr std::string_view kSqlClients =
    "psql mysql mariadb sqlite3 sqlite duckdb clickhouse-client clickhouse cockroach sqlcmd usql "
    "mysqlsh snowsql bq trino presto hive beeline cqlsh pgcli mycli litecli sqlplus isql tsql "
    "wrangler turso influx snow spanner-cli psql.exe mysql.exe sqlcmd.exe";

// psql app_test: a database for tests, by its name.
bool is_test_database(const Arguments& arguments);
// That, sqlite3 :memory:, or a file below /tmp.
bool is_scratch_database(const Arguments& arguments);

// Calls `test` with the words, in lower case, of each line and of each statement that goes to a
// client that does not work on a scratch database.
using SqlTest = std::function<bool(const std::vector<std::string>& words)>;
bool any_sql_line(const Arguments& arguments, const SqlTest& test);

// Whether `first` is followed by one of `second`, between blanks.
bool has_pair(const std::vector<std::string>& words, std::string_view first,
              std::string_view second);

}  // namespace talaria::guard
