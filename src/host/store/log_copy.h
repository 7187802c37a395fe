// LogCopy: has the write-ahead log of a database copied into it when it has become long. That waits
// for the disk, so it happens beside the event loop, over a connection of its own.
#pragma once

#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/task.h"
#include "host/store/database.h"

namespace talaria::host {

// From so many pages (of 4 KiB) on the log is copied.
inline constexpr int kLogPages = 1000;

class LogCopy {
 public:
  // After a call of the loop that may have written.
  void start_if_due(const Database& database, const asio::any_io_executor& loop);

 private:
  static Task<void> copy(std::string path, std::shared_ptr<bool> under_way);

  std::shared_ptr<bool> under_way_ = std::make_shared<bool>(false);
  int copied_at_ = 0;  // how long it was then
};

}  // namespace talaria::host
