#include "environment/carrier/carried_environment.h"

#include <optional>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/text.h"
#include "environment/end_runner.h"
#include "environment/plain/plain_environment.h"
#include "environment/runner_stream.h"

namespace talaria::environment::carrier {
namespace {

using Connect = link::LinkDriver::Connect;

// Returns `first` once, then new streams.
Connect beginning_with(link::ByteStream first, Connect others) {
  const auto unused = std::make_shared<std::optional<link::ByteStream>>(std::move(first));
  return [unused, others = std::move(others)]() -> Task<Result<link::ByteStream>> {
    if (*unused) co_return *std::exchange(*unused, std::nullopt);
    co_return co_await others();
  };
}

// Ends the runner at the target with all its commands, and removes its files.
Task<Result<void>> remove_runner_there(std::shared_ptr<Carrier> carrier, Connect connect,
                                       std::uint32_t batch_ms) {
  const auto link = std::make_shared<link::LinkDriver>(
      co_await asio::this_coro::executor, std::move(connect),
      link::LinkDriverOptions{.client = link_identity(), .batch_ms = batch_ms});
  const auto status = co_await ask<link::StatusReport>(link, link::Status{});
  if (!status) co_return fail(status.error());
  const auto ended = co_await end_runner(link, true);
  if (!ended) co_return fail(ended.error());
  const auto left = co_await carrier->run(remove_script(carrier->options().places, status->pid));
  if (!left) co_return fail(left.error());
  if (const std::string_view why = trim(*left); !why.empty()) {
    co_return fail(ErrorKind::system, "the runner was ended, but " + std::string(why));
  }
  co_return Result<void>();
}

}  // namespace

Task<Result<std::unique_ptr<Environment>>> make_carried_environment(CarriedTarget target) {
  const auto executor = co_await asio::this_coro::executor;
  const auto carrier = target.carrier;
  const auto without_runner = [&](const std::string& why) {
    return std::make_unique<plain::PlainEnvironment>(
        executor, plain::PlainOptions{.target = target.options, .why = why, .carrier = carrier});
  };
  if (target.plain) co_return without_runner("TERMINAL_CARRIER_MODE is plain");
  Connect connect = std::move(target.connect);
  if (!connect) connect = [carrier] { return carrier->connect(); };
  auto first = co_await connect();
  if (!first && !carrier->no_runner().empty()) {
    co_return without_runner(carrier->no_runner());
  }
  if (!first) co_return fail(first.error());
  TargetOptions options = std::move(target.options);
  options.batch_ms = carrier->options().batches ? kBatchMs : 0;
  if (!options.close && !options.instance) {
    options.close = [carrier, connect,
                     batch_ms = options.batch_ms](bool remove) -> Task<Result<void>> {
      if (!remove) co_return Result<void>();
      co_return co_await remove_runner_there(carrier, connect, batch_ms);
    };
  }
  co_return std::make_unique<LinkEnvironment>(executor, std::move(options),
                                              beginning_with(std::move(*first), connect));
}

}  // namespace talaria::environment::carrier
