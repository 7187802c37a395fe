// A target behind any command that runs a program elsewhere and carries its standard input and
// output: `docker exec -i BOX`, `ssh HOST`, `kubectl exec -i POD --`, ... The runner is delivered
// through it, then linked to through it. The target itself is somebody else's: nothing is made or
// removed there but the runner's own directory.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "environment/environment.h"

namespace talaria {

struct CarrierOptions {
  std::string command;  // shell words; the program to run at the target is appended to them
  // The carrier joins its words with blanks and lets a shell at the target read them (ssh does), so
  // what we append must be quoted once more.
  bool joins_words = false;
  bool batches = false;  // one call carries one batch of frames, as for targets without a stream
  std::chrono::seconds lifetime{0};
  LoginFiles login;
  // Until the target says or takes the next bytes while the runner is found or delivered.
  std::chrono::milliseconds patience{60'000};
};

// Whether the options say enough to try.
Result<void> check_carrier(const CarrierOptions& options);

Result<std::unique_ptr<Environment>> make_carrier_environment(const asio::any_io_executor& executor,
                                                              const CarrierOptions& options);

}  // namespace talaria
