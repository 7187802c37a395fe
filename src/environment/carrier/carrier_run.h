// One run of a carrier: something that runs a program elsewhere and carries its standard input and
// output; most often a command of this machine.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/result.h"
#include "base/task.h"

namespace talaria::environment::carrier {

struct CarrierCommand {
  std::string words;  // shell words; the program to run at the target is appended to them
  // The carrier joins its words with blanks and lets a shell at the target read them (ssh does), so
  // what we append must be quoted once more.
  bool joins_words = false;
  // NAME=value, on top of our own variables: what it has to know and nobody is to read among its
  // words.
  std::vector<std::string> added = {};
  // It has to tell the other side that its input ended, which a kill would keep it from: it ends by
  // itself when we close that.
  bool ends_by_itself = false;
};

// With its ends on the event loop. Destroying it ends the carrier here, not what it runs elsewhere.
struct CarrierRun {
  std::shared_ptr<void> keep;              // what carries: a process, a connection
  std::function<std::string()> complaint;  // what it says is wrong, as far as it goes
  asio::posix::stream_descriptor input;
  asio::posix::stream_descriptor output;
};

// Runs `sh -c SCRIPT` there. What goes wrong later is the run's complaint.
using StartCarrier = std::function<Result<std::shared_ptr<CarrierRun>>(const std::string& script)>;

// By a command of this machine.
StartCarrier carrier_by(asio::any_io_executor executor, CarrierCommand command);

// Why a carrier brought nothing.
struct CarrierFailure {
  std::string words;    // its own, or ours if it had none
  bool silent = false;  // it was given up because nothing came
};

// Runs a script there to its end; what it printed, behind what login shells have to say.
// `patience`: until the next bytes come.
Task<std::expected<std::string, CarrierFailure>> run_carrier(StartCarrier start, std::string script,
                                                             std::chrono::milliseconds patience);

}  // namespace talaria::environment::carrier
