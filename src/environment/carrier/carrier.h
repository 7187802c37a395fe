// Carrier: any command that runs a program elsewhere and carries its standard input and output:
// `docker exec -i BOX`, `ssh HOST`, `kubectl exec -i POD --`, ... The runner is found or delivered
// through it, then linked to through it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/carrier/bootstrap.h"
#include "environment/carrier/carrier_run.h"
#include "environment/runner_image.h"
#include "link/driver.h"

namespace talaria::environment::carrier {

// How long a batch waits at the target for frames to send.
inline constexpr std::uint32_t kBatchMs = 2000;

struct CarrierOptions {
  std::string command;           // see CarrierCommand
  bool joins_arguments = false;  // likewise
  bool batches = false;  // one call carries one batch of frames, as for targets without a stream
  RunnerPlaces places;
  std::chrono::seconds lifetime{0};
  // Time limit for the next bytes from or to the target while the runner is found or delivered.
  std::chrono::milliseconds patience{60'000};
  std::string name = {};  // shown to people; empty: the command
  // Starts it; null: runs the command.
  StartCarrier start = {};
  // The message for people; null: "`COMMAND` failed to start a runner at the target: MESSAGE".
  std::function<std::string(const CarrierFailure&)> explain = {};
};

class Carrier {
 public:
  Carrier(asio::any_io_executor executor, CarrierOptions options)
      : executor_(std::move(executor)), options_(std::move(options)) {}

  // A stream to the runner at the target, which is delivered and started first if necessary.
  // `*this` must outlive the call.
  Task<Result<link::ByteStream>> connect();

  // Why no runner can ever run at the target, as far as connect() has found out; empty: it may.
  const std::string& no_runner() const { return no_runner_; }

  // Runs a script at the target to its end; returns its output. `*this` must outlive the call.
  Task<Result<std::string>> run(std::string script);

  // The message for people.
  std::string explain(const CarrierFailure& failure) const;
  // See StartCarrier.
  Result<std::shared_ptr<CarrierRun>> start(const std::string& script) const;

  const CarrierOptions& options() const { return options_; }
  // Takes effect with the next run.
  void use_command(std::string command) { options_.command = std::move(command); }

 private:
  struct Answer;

  BootstrapRequest new_request() const;
  Task<Result<Answer>> ask_for_link();
  Result<link::ByteStream> begin_batch();
  Task<Result<void>> deliver(const std::string& machine);
  Task<Result<void>> deliver_here(CarrierRun& run, const std::string& machine);
  Result<RunnerImage> image_for(const std::string& machine);
  // Why the target did not store the runner, if it says so.
  std::optional<Error> refusal(const std::string& said, const std::string& nonce);
  Task<Result<void>> upload(CarrierRun& run, std::string_view bytes);
  Task<Result<void>> read_some(CarrierRun& run, std::string& said);
  std::unexpected<Error> failed(const CarrierRun& run, CarrierFailure failure) const;
  link::ByteStream stream_of(const std::shared_ptr<CarrierRun>& run, std::string early);
  StartCarrier starter() const;

  asio::any_io_executor executor_;
  CarrierOptions options_;
  bool runner_there_ = false;
  std::string no_runner_;
};

}  // namespace talaria::environment::carrier
