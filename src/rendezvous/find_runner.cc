#include "rendezvous/find_runner.h"

#include <algorithm>
#include <array>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/text.h"
#include "base/time_limit.h"
#include "os/child_process.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "os/unix_socket.h"
#include "rendezvous/runner_place.h"

namespace talaria::rendezvous {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kShortPause = std::chrono::milliseconds(10);
constexpr auto kLongPause = std::chrono::milliseconds(200);

// Up to the first newline, which is left out, or the end of the stream.
Task<std::string> read_line(asio::posix::stream_descriptor& source) {
  std::string line;
  std::array<char, 512> chunk;
  while (!line.contains('\n')) {
    const auto [error, size] = co_await source.async_read_some(asio::buffer(chunk), as_values);
    if (error) break;
    line.append(chunk.data(), size);
  }
  co_return line.substr(0, line.find('\n'));
}

// Runs `serve`, which starts a runner that is nobody's child, and says how that went.
Task<Result<Served>> start_runner(const RunnerSearch& search) {
  const auto program = search.program();
  if (!program) co_return fail(program.error());
  auto answer = os::make_pipe();
  if (!answer) co_return fail(answer.error());
  const std::string lifetime = std::to_string(search.lifetime.count());
  const std::string& directory = search.place.directory;
  const os::SpawnSpec spec{.path = program->c_str(),
                           .argv = {"talaria-runner", "serve", directory.c_str(), lifetime.c_str()},
                           .env = search.environment,
                           .fds = {-1, answer->writer.get(), -1}};
  const auto pid = os::spawn_process(spec);
  if (!pid) co_return fail(pid.error());
  const os::ChildProcess process(*pid);
  answer->writer.reset();
  asio::posix::stream_descriptor reader(co_await asio::this_coro::executor,
                                        answer->reader.release());
  const auto line = co_await within(search.patience, read_line(reader));
  if (!line) {
    co_return fail(ErrorKind::unavailable,
                   "a runner was started in " + directory + ", but did not report within " +
                       in_seconds(search.patience) + " s that it serves (see runner.log there)");
  }
  const Served served = read_serve_line(*line);
  if (served != Served::failed) co_return served;
  co_return fail(ErrorKind::unavailable, "the runner did not start in " + directory + ": " +
                                             (line->empty() ? "it printed nothing" : *line) +
                                             " (see runner.log there)");
}

Error nobody_answers(const RunnerSearch& search, bool starting) {
  const std::string in = in_seconds(search.patience) + " s in " + search.place.directory + ": ";
  if (starting) {
    return Error(ErrorKind::unavailable, "no runner within " + in + "another program (" +
                                             os::describe_lock(search.place.start_lock()) +
                                             ") is starting one and has not finished");
  }
  return Error(ErrorKind::unavailable,
               "no runner within " + in + "a runner that does not answer holds the directory (" +
                   describe_holder(search.place) + "); wait until it ends, or end it");
}

}  // namespace

std::string describe_holder(const RunnerPlace& place) { return os::describe_lock(place.lock()); }

Task<Result<os::UniqueFd>> find_or_start_runner(RunnerSearch search) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  const auto give_up_at = Clock::now() + search.patience;
  auto pause = kShortPause;
  for (;;) {
    auto socket = os::connect_to_socket(search.place.socket());
    if (socket) co_return socket;
    const auto made = os::make_private_directory(search.place.directory);
    if (!made) co_return fail(made.error());
    // Of many who find no runner one starts it; the others find that one.
    auto lock = os::try_lock_file(search.place.start_lock());
    if (!lock) co_return fail(lock.error());
    if (*lock) {
      socket = os::connect_to_socket(search.place.socket());
      if (socket) co_return socket;
      const auto started = co_await start_runner(search);
      if (!started) co_return fail(started.error());
      if (*started == Served::ready) co_return os::connect_to_socket(search.place.socket());
      // A runner that begins or ends has the place but does not listen.
      pause = std::min(pause * 2, kLongPause);
    }
    const bool starting = !lock->has_value();
    if (Clock::now() >= give_up_at) co_return fail(nobody_answers(search, starting));
    lock->reset();
    timer.expires_after(pause);
    co_await timer.async_wait(as_values);
  }
}

}  // namespace talaria::rendezvous
