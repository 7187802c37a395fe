#include "environment/plain/plain_processes.h"

#include <boost/asio/this_coro.hpp>

#include "base/event.h"

namespace talaria::environment::plain {

std::unexpected<Error> PlainProcesses::none() const {
  return fail(ErrorKind::unavailable,
              "there are no background processes over the plain transport, which is used because "
              "no runner can be at this target (" +
                  why_ + "); run the command in the foreground, or redirect its output and use &");
}

Task<Result<StartedProcess>> PlainProcesses::start(CommandSpec /*command*/, ProcessSpec /*spec*/,
                                                   CancelToken /*cancel*/) {
  co_return none();
}

Task<Result<StartedProcess>> PlainProcesses::start_as(std::string /*id*/, CommandSpec /*command*/,
                                                      ProcessSpec /*spec*/,
                                                      CancelToken /*cancel*/) {
  co_return fail(ErrorKind::unavailable,
                 "there is no runner at this target, without which a command cannot be known to "
                 "run once (" +
                     why_ + ")");
}

Task<Result<std::vector<ProcessInfo>>> PlainProcesses::list(ProcessQuery /*query*/) {
  co_return std::vector<ProcessInfo>();
}

Task<Result<ProcessInfo>> PlainProcesses::wait(ProcessQuery /*query*/, CancelToken /*cancel*/) {
  co_return none();
}

Task<Result<KilledProcess>> PlainProcesses::kill(std::string /*id*/, std::string /*source*/) {
  co_return none();
}

Task<Result<void>> PlainProcesses::signal(std::string /*id*/, int /*number*/) { co_return none(); }

Task<Result<OutputRead>> PlainProcesses::read(OutputQuery /*query*/, OutputSink /*on_output*/,
                                              CancelToken /*cancel*/) {
  co_return none();
}

Task<Result<bool>> PlainProcesses::write(std::string /*id*/, std::string /*data*/, bool /*end*/,
                                         CancelToken /*cancel*/) {
  co_return none();
}

Task<Result<void>> PlainProcesses::resize(std::string /*id*/, ScreenSize /*size*/) {
  co_return none();
}

// There are no events: a caller that follows them waits until it cancels.
Task<Result<std::uint64_t>> PlainProcesses::events(
    EventQuery query, std::function<void(const NumberedEvent&)> /*on_event*/, CancelToken cancel) {
  if (!query.follow) co_return std::uint64_t{0};
  AsyncEvent cancelled;
  cancel.on_cancel([&cancelled] { cancelled.set(); });
  co_await cancelled.wait();
  cancel.on_cancel(nullptr);
  co_return fail(ErrorKind::interrupted, "the wait was cancelled");
}

Task<Result<void>> PlainProcesses::acknowledge(std::string /*instance*/, std::uint64_t /*up_to*/) {
  co_return Result<void>();
}

}  // namespace talaria::environment::plain
