// Database: one SQLite file, owned, with its statements prepared once. Query: one use of such a
// statement. Everything that can go wrong comes back as an Error that names the file and says what
// to do about it. For one thread at a time.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace talaria::host {

struct CloseDatabase {
  void operator()(sqlite3* database) const;
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const;
};

class Database {
 public:
  // Creates the file, for its owner alone, if there is none.
  static Result<Database> open(const std::string& path);

  // From now on a call waits for another program that writes only for milliseconds, not for
  // kStorePatience: the event loop has others to serve (store_turns.h). Nor does it copy the log
  // into the database (log_copy.h). No effect without a write-ahead log (network file systems):
  // there even reading waits for those who write.
  void be_quick();
  int log_pages() const { return log_pages_ ? *log_pages_ : 0; }  // after the last call that wrote

  // Copies the log of a database, which others may use meanwhile. Waits for the disk.
  static Result<void> copy_log(const std::string& path);

  // Runs a statement that stays prepared, and leaves out what it returns. See Query.
  template <class... Values>
  Result<void> run(std::string_view sql, const Values&... values);

  // The same for a query: what `read` makes of its first row, if there is one; of all its rows; the
  // number in the first column of its first row, or 0.
  template <class Read, class... Values>
  auto first(Read read, std::string_view sql, const Values&... values);
  template <class Read, class... Values>
  auto all(Read read, std::string_view sql, const Values&... values);
  template <class... Values>
  Result<std::uint64_t> first_count(std::string_view sql, const Values&... values);
  // Several statements, for once.
  Result<void> run_script(const std::string& sql);

  std::int64_t changes() const;  // rows the last statement changed
  std::int64_t last_id() const;  // of the row that was added last

  // False if the file was removed, or another one has taken its place.
  bool is_in_place() const;

  // Another number than before: another program has changed something.
  Result<std::uint64_t> change_number();

  const std::string& path() const { return path_; }

 private:
  friend class Query;
  Error error(int code) const;
  int prepare(std::string_view sql, sqlite3_stmt*& statement);

  std::string path_;
  bool has_log_ = false;
  std::unique_ptr<int> log_pages_;                    // set by be_quick()
  std::unique_ptr<sqlite3, CloseDatabase> database_;  // outlives its statements
  std::map<std::string_view, std::unique_ptr<sqlite3_stmt, FinalizeStatement>> statements_;
};

class Query {
 public:
  // `sql` is a literal: it is remembered. The values, texts and whole numbers, are its parameters
  // in order, and are copied. Of two queries with the same text one must be gone before the other
  // is made.
  template <class... Values>
  Query(Database& database, std::string_view sql, const Values&... values)
      : database_(database), failed_(database.prepare(sql, statement_)) {
    (bind(values), ...);
  }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query();

  // Goes to the next row; false: there is none.
  Result<bool> next();
  // Skips the remaining rows.
  Result<void> finish();

  // What `read` makes of the next row; nothing: there is none.
  template <class Read>
  Result<std::optional<std::invoke_result_t<Read, const Query&>>> first(Read read) {
    const auto row = next();
    if (!row) return fail(row.error());
    if (!*row) return std::nullopt;
    return read(*this);
  }
  // The same of every row.
  template <class Read>
  Result<std::vector<std::invoke_result_t<Read, const Query&>>> all(Read read) {
    std::vector<std::invoke_result_t<Read, const Query&>> found;
    for (;;) {
      const auto row = next();
      if (!row) return fail(row.error());
      if (!*row) return found;
      found.push_back(read(*this));
    }
  }
  // The number in the first column of the next row; 0: there is none.
  Result<std::uint64_t> first_count();

  // Of the row it is at:
  std::int64_t number(int column) const;
  std::uint64_t count(int column) const { return static_cast<std::uint64_t>(number(column)); }
  std::string text(int column) const;
  bool is_null(int column) const;

 private:
  void bind(std::string_view text);
  void bind(std::integral auto number) { bind_number(static_cast<std::int64_t>(number)); }
  template <class Value>
  void bind(const std::optional<Value>& value) {
    if (value) {
      bind(*value);
    } else {
      bind_null();
    }
  }
  void bind_null();
  void bind_number(std::int64_t number);

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
  int failed_ = 0;  // of preparing or binding; reported by next()
};

template <class... Values>
Result<void> Database::run(std::string_view sql, const Values&... values) {
  return Query(*this, sql, values...).finish();
}

template <class Read, class... Values>
auto Database::first(Read read, std::string_view sql, const Values&... values) {
  return Query(*this, sql, values...).first(read);
}

template <class Read, class... Values>
auto Database::all(Read read, std::string_view sql, const Values&... values) {
  return Query(*this, sql, values...).all(read);
}

template <class... Values>
Result<std::uint64_t> Database::first_count(std::string_view sql, const Values&... values) {
  return Query(*this, sql, values...).first_count();
}

// Everything between its making and commit() happens, or nothing does.
class Transaction {
 public:
  // Waits for others who write.
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}

  Database* database_;  // null: it is over
};

}  // namespace talaria::host
