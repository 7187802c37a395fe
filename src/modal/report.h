// Report: what the program says on standard error, a line at a time, without the secrets it knows.
// For any thread. Bounded, because the reader may have limited room and needs the failure: of
// much progress the first and the last lines are written.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"
#include "modal/call_result.h"

namespace talaria::modal {

class Report {
 public:
  explicit Report(int fd) : fd_(fd) {}

  // From now on it is not shown.
  void keep_secret(std::string_view text);

  void progress(std::string_view text);
  void failure(const CallFailure& failure);
  void for_people(const CallFailure& failure);  // with the name of the program

 private:
  void write_line(std::string line);  // with the mutex locked

  int fd_;
  std::mutex mutex_;
  std::size_t written_ = 0;       // bytes of progress that were written
  std::deque<std::string> last_;  // lines that were not, for there were too many
  std::vector<Secret> secrets_;
};

}  // namespace talaria::modal
