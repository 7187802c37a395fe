// When a request to Daytona may be sent again, and what kind of failure an answer is. No I/O.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria::environment::daytona {

// A request that failed.
struct DaytonaTry {
  bool repeatable = false;       // done twice it is as done once
  int number = 1;                // which one it was, of the same request
  bool sent = true;              // the service may have got it
  unsigned status = 0;           // of the answer; 0: there was none
  std::string retry_after = {};  // what the answer says to that
};

// How long to wait before it is sent again; nothing: it is not.
std::optional<std::chrono::milliseconds> pause_before_repeat(const DaytonaTry& failed);

// Whether a request that is not repeatable may have been carried out all the same.
bool may_have_been_done(const DaytonaTry& failed);

// Of an answer with an error status and this message of the vendor.
ErrorKind daytona_error_kind(unsigned status, std::string_view message);

}  // namespace talaria::environment::daytona
