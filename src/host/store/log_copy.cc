#include "host/store/log_copy.h"

#include <utility>

#include "base/off_loop.h"

namespace talaria::host {

void LogCopy::start_if_due(const Database& database, const asio::any_io_executor& loop) {
  const int pages = database.log_pages();
  if (pages < copied_at_) copied_at_ = 0;  // it began anew
  if (*under_way_ || pages < copied_at_ + kLogPages) return;
  *under_way_ = true;
  copied_at_ = pages;
  spawn(loop, copy(database.path(), under_way_));
}

// If it fails, the log stays as it is, and a later call tries again.
Task<void> LogCopy::copy(std::string path, std::shared_ptr<bool> under_way) {
  (void)co_await off_loop([path] { return Database::copy_log(path); });
  *under_way = false;
}

}  // namespace talaria::host
