// Report: what the program says on standard error, a line at a time, without the secrets it knows.
// For any thread.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"
#include "modal/call_result.h"

namespace talaria {

class Report {
 public:
  explicit Report(int fd) : fd_(fd) {}

  // From now on it is not shown.
  void keep_secret(std::string_view text);

  void progress(std::string_view text);
  void failure(const CallFailure& failure);
  void for_people(const CallFailure& failure);  // with the name of the program

 private:
  void write_line(std::string line);

  int fd_;
  std::mutex mutex_;
  std::vector<Secret> secrets_;
};

}  // namespace talaria
