// One run of a carrier: something that runs a program elsewhere and carries its standard input and
// output; usually a command on this machine.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/result.h"
#include "base/task.h"

namespace talaria::environment::carrier {

struct CarrierCommand {
  std::string command;  // of the shell; the program to run at the target is appended to it
  // The carrier joins its arguments with blanks and passes them to a shell at the target, as ssh
  // does. So what we append must be quoted once more.
  bool joins_arguments = false;
  // NAME=value, in addition to our own variables: secrets, which must not be arguments.
  std::vector<std::string> added = {};
  // It must report the end of its input to the other side, which a kill would prevent: it ends by
  // itself when we close its input.
  bool ends_by_itself = false;
};

// Both streams are on the event loop. Destroying it ends the carrier here, not the program
// elsewhere.
struct CarrierRun {
  std::shared_ptr<void> keep;              // what carries: a process, a connection
  std::function<std::string()> complaint;  // its error output so far
  asio::posix::stream_descriptor input;
  asio::posix::stream_descriptor output;
  // After the end of its output: its exit code, if it has one soon. May be null.
  std::function<Task<std::optional<int>>()> exit_code = {};
};

// Runs `sh -c SCRIPT` at the target. A later failure is in CarrierRun::complaint.
using StartCarrier = std::function<Result<std::shared_ptr<CarrierRun>>(const std::string& script)>;

// Runs a command on this machine.
StartCarrier carrier_by(asio::any_io_executor executor, CarrierCommand command);

// Why a run of a carrier failed.
struct CarrierFailure {
  std::string message;                // the error output, or our own description
  bool silent = false;                // it was abandoned because no bytes came
  bool no_output = false;             // it ended, and nobody said anything
  std::optional<int> exit_code = {};  // of the carrier, if it ended before our script began
};

// Runs a script at the target to its end; returns its output, without what login shells print
// first. `patience`: time limit for the next bytes.
Task<std::expected<std::string, CarrierFailure>> run_carrier(StartCarrier start, std::string script,
                                                             std::chrono::milliseconds patience);

// Whether a script runs at the target, and what it prints comes back, within 15 seconds. Nothing:
// it does.
Task<std::optional<CarrierFailure>> try_carrier(StartCarrier start);

// With a message, whatever happened.
CarrierFailure in_words(CarrierFailure failure);

}  // namespace talaria::environment::carrier
