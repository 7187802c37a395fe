#include "host/store/database.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "host/store/journal_mode.h"

namespace talaria::host {
namespace {

// Made without opening it: closing a descriptor of ours would drop the locks that another
// connection of this process has on the file. The files SQLite puts beside it get its mode.
Result<void> make_file(const std::string& path) {
  if (::mknod(path.c_str(), S_IFREG | 0600, 0) == 0 || errno == EEXIST) return {};
  return fail(Error::from_errno("creating " + path));
}

// What to do about it, where that can be said.
std::string advice(int code, const std::string& path) {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return " The database is damaged. Move it away, with " + path + "-wal and " + path +
             "-shm if they exist; Talaria then creates a new one. Processes keep running. Events "
             "that were not delivered stay in the old file.";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return " Another program has held it for " + std::to_string(kStorePatience.count()) +
             " seconds. Try again; `fuser " + path + "` shows which program has it open.";
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return " Make sure that its disk has free space, then try again. Nothing in it was changed.";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return " You must be able to write the file and its directory.";
    default:
      return "";
  }
}

ErrorKind kind_of(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorKind::unavailable;
    default:
      return ErrorKind::system;
  }
}

void set_patience(sqlite3* database, std::chrono::milliseconds patience) {
  sqlite3_busy_timeout(database, static_cast<int>(patience.count()));
}

// With a log of so many pages (of 4 KiB) copying it keeps others from writing, so that it begins
// anew; with the second number it is done by the call that reaches it, if nobody else does.
constexpr int kMuchLog = 4000;
constexpr int kLogLimit = 16000;

// After each call that wrote.
int count_log(void* counted, sqlite3* database, const char* name, int pages) {
  *static_cast<int*>(counted) = pages;
  if (pages < kLogLimit) return SQLITE_OK;
  sqlite3_wal_checkpoint_v2(database, name, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  return SQLITE_OK;
}

}  // namespace

void CloseDatabase::operator()(sqlite3* database) const { sqlite3_close_v2(database); }
void FinalizeStatement::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Result<Database> Database::open(const std::string& path) {
  if (const auto made = make_file(path); !made) return fail(made.error());
  Database opened;
  opened.path_ = path;
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  opened.database_.reset(handle);
  if (code != SQLITE_OK) return fail(opened.error(code));
  sqlite3_extended_result_codes(handle, 1);
  // The last one to close it would wait for the disk to copy the log; a later write does that.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  set_patience(handle, kStorePatience);
  const auto mode = set_journal(opened);
  if (!mode) return fail(mode.error());
  opened.has_log_ = *mode == JournalMode::write_ahead;
  return opened;
}

void Database::be_quick() {
  if (!has_log_) return;
  set_patience(database_.get(), kStorePatienceOnLoop);
  log_pages_ = std::make_unique<int>(0);
  sqlite3_wal_hook(database_.get(), count_log, log_pages_.get());  // in place of SQLite's copying
}

Result<void> Database::copy_log(const std::string& path) {
  const auto opened = open(path);
  if (!opened) return fail(opened.error());
  sqlite3* const handle = opened->database_.get();
  int pages = 0;
  int copied = 0;
  const auto copy = [&](int how) {
    return sqlite3_wal_checkpoint_v2(handle, nullptr, how, &pages, &copied);
  };
  int code = copy(SQLITE_CHECKPOINT_PASSIVE);
  // Where somebody always writes there is always a rest, and the log would never begin anew.
  if (code == SQLITE_OK && copied < pages && pages >= kMuchLog) {
    code = copy(SQLITE_CHECKPOINT_RESTART);
  }
  if (code != SQLITE_OK) return fail(opened->error(code));
  return {};
}

Result<void> Database::run_script(const std::string& sql) {
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return fail(error(code));
  return {};
}

std::int64_t Database::changes() const { return sqlite3_changes64(database_.get()); }
std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(database_.get()); }

bool Database::is_in_place() const {
  int moved = 0;
  sqlite3_file_control(database_.get(), nullptr, SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved == 0;
}

Result<std::uint64_t> Database::change_number() { return first_count("PRAGMA data_version"); }

Error Database::error(int code) const {
  std::string reason = database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code);
  const int group = code & 0xff;
  const bool held = group == SQLITE_BUSY || group == SQLITE_LOCKED;
  const int cause = held ? EBUSY : database_ ? sqlite3_system_errno(database_.get()) : 0;
  if (cause != 0 && (group == SQLITE_IOERR || group == SQLITE_CANTOPEN || group == SQLITE_FULL)) {
    reason = Error::from_errno(reason, cause).message();
  }
  return Error(kind_of(code), path_ + ": " + reason + "." + advice(code, path_), cause);
}

int Database::prepare(std::string_view sql, sqlite3_stmt*& statement) {
  auto& prepared = statements_[sql];
  int code = SQLITE_OK;
  if (!prepared) {
    sqlite3_stmt* made = nullptr;
    code = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                              SQLITE_PREPARE_PERSISTENT, &made, nullptr);
    prepared.reset(made);
  }
  statement = prepared.get();
  return code;
}

Query::~Query() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Query::bind(std::string_view text) {
  if (failed_ != SQLITE_OK) return;
  // No text at all would be NULL.
  failed_ = sqlite3_bind_text64(statement_, ++bound_, text.empty() ? "" : text.data(), text.size(),
                                SQLITE_TRANSIENT, SQLITE_UTF8);
}

void Query::bind_number(std::int64_t number) {
  if (failed_ != SQLITE_OK) return;
  failed_ = sqlite3_bind_int64(statement_, ++bound_, number);
}

void Query::bind_null() {
  if (failed_ != SQLITE_OK) return;
  failed_ = sqlite3_bind_null(statement_, ++bound_);
}

Result<bool> Query::next() {
  if (failed_ != SQLITE_OK) return fail(database_.error(failed_));
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return fail(database_.error(code));
}

Result<void> Query::finish() {
  for (;;) {
    const auto row = next();
    if (!row) return fail(row.error());
    if (!*row) return {};
  }
}

Result<std::uint64_t> Query::first_count() {
  const auto row = next();
  if (!row) return fail(row.error());
  return *row ? count(0) : 0;
}

std::int64_t Query::number(int column) const { return sqlite3_column_int64(statement_, column); }

std::string Query::text(int column) const {
  const void* const bytes = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes == nullptr ? "" : std::string(static_cast<const char*>(bytes), size);
}

bool Query::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

Result<Transaction> Transaction::begin(Database& database) {
  if (const auto begun = database.run("BEGIN IMMEDIATE"); !begun) return fail(begun.error());
  return Transaction(database);
}

Transaction::~Transaction() {
  // A failure may have ended it already.
  if (database_ != nullptr) static_cast<void>(database_->run("ROLLBACK"));
}

Result<void> Transaction::commit() {
  auto done = database_->run("COMMIT");
  if (done) database_ = nullptr;
  return done;
}

}  // namespace talaria::host
