// Carrier: any command that runs a program elsewhere and carries its standard input and output:
// `docker exec -i BOX`, `ssh HOST`, `kubectl exec -i POD --`, ... The runner is found or delivered
// through it, then linked to through it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/carrier/bootstrap.h"
#include "link/driver.h"

namespace talaria {

// What a batch waits at the target for something to say.
inline constexpr std::uint32_t kBatchMs = 2000;

struct CarrierOptions {
  std::string command;  // shell words; the program to run at the target is appended to them
  // The carrier joins its words with blanks and lets a shell at the target read them (ssh does), so
  // what we append must be quoted once more.
  bool joins_words = false;
  bool batches = false;  // one call carries one batch of frames, as for targets without a stream
  RunnerPlaces places;
  std::chrono::seconds lifetime{0};
  // Until the target says or takes the next bytes while the runner is found or delivered.
  std::chrono::milliseconds patience{60'000};
};

class Carrier {
 public:
  Carrier(asio::any_io_executor executor, CarrierOptions options)
      : executor_(std::move(executor)), options_(std::move(options)) {}

  // A stream to the runner there, which is delivered and started first if need be. `*this` must
  // outlive the call.
  Task<Result<ByteStream>> connect();

 private:
  struct Answer;
  struct Child;

  BootstrapRequest new_request() const;
  Task<Result<Answer>> ask_for_link();
  Result<ByteStream> begin_batch();
  Task<Result<void>> deliver(const std::string& machine);
  Task<Result<void>> upload(Child& run, std::string_view bytes);
  Task<Result<void>> read_some(Child& run, std::string& said);
  std::unexpected<Error> no_link(const Child& run, std::string reason) const;
  ByteStream stream_of(const std::shared_ptr<Child>& run, std::string early);
  Result<std::shared_ptr<Child>> start(const std::string& script);

  asio::any_io_executor executor_;
  CarrierOptions options_;
  bool runner_there_ = false;
};

}  // namespace talaria
