// One run of a carrier: a command of this machine that runs a program elsewhere and carries its
// standard input and output.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/result.h"
#include "base/task.h"
#include "os/child_process.h"
#include "os/unique_fd.h"

namespace talaria {

struct CarrierCommand {
  std::string words;  // shell words; the program to run at the target is appended to them
  // The carrier joins its words with blanks and lets a shell at the target read them (ssh does), so
  // what we append must be quoted once more.
  bool joins_words = false;
};

// With its ends on the event loop and its complaints in a memory file. Destroying it ends the
// carrier here, not what it runs elsewhere.
struct CarrierRun {
  ChildProcess process;
  asio::posix::stream_descriptor input;
  asio::posix::stream_descriptor output;
  UniqueFd complaints;

  std::string complaint() const;  // the end of what it wrote to standard error
};

// Runs `sh -c SCRIPT` there.
Result<std::shared_ptr<CarrierRun>> start_carrier(const asio::any_io_executor& executor,
                                                  const CarrierCommand& command,
                                                  const std::string& script);

// Why a carrier brought nothing.
struct CarrierFailure {
  std::string words;    // its own, or ours if it had none
  bool silent = false;  // it was given up because nothing came
};

// Runs a script there to its end; what it printed, behind what login shells have to say.
// `patience`: until the next bytes come.
Task<std::expected<std::string, CarrierFailure>> run_carrier(CarrierCommand command,
                                                             std::string script,
                                                             std::chrono::milliseconds patience);

}  // namespace talaria
