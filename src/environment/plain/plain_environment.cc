#include "environment/plain/plain_environment.h"

#include <charconv>
#include <csignal>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/text.h"
#include "base/time_limit.h"
#include "environment/input_source.h"
#include "environment/output_window.h"
#include "os/random.h"

namespace talaria::environment::plain {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto kTrailerPatience = milliseconds(5'000);  // for the script to say how it ended
constexpr std::size_t kChunk = 128 * 1024;

// How far a command got on its way.
enum class Sent { all, refused, stalled };

// The reason of a refusal is in the complaint of the carrier.
Task<Sent> write_all(carrier::CarrierRun& run, std::string_view bytes, milliseconds patience) {
  while (!bytes.empty()) {
    const auto buffer = asio::buffer(bytes.data(), bytes.size());
    const auto written = co_await within(patience, run.input.async_write_some(buffer, as_values));
    if (!written) co_return Sent::stalled;
    if (std::get<0>(*written)) co_return Sent::refused;
    bytes.remove_prefix(std::get<1>(*written));
  }
  co_return Sent::all;
}

// Appends what comes next; false at the end.
Task<bool> read_some(carrier::CarrierRun& run, std::string& text) {
  const std::size_t before = text.size();
  text.resize(before + kChunk);
  const auto [error, size] =
      co_await run.output.async_read_some(asio::buffer(text.data() + before, kChunk), as_values);
  text.resize(before + size);
  co_return !error;
}

std::vector<Leftover> leftovers(std::string_view said) {
  std::vector<Leftover> found;
  while (!said.empty()) {
    std::string_view line = next_word(said, '\n');
    const std::string_view pid = next_word(line);
    Leftover one{.name = std::string(line), .reason = "it outlived KILL"};
    std::from_chars(pid.data(), pid.data() + pid.size(), one.pid);
    if (one.pid > 0) found.push_back(std::move(one));
  }
  return found;
}

}  // namespace

PlainEnvironment::PlainEnvironment(asio::any_io_executor executor, PlainOptions options)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      notices_(options_.why),
      processes_(options_.why),
      files_(options_.why) {}

struct PlainEnvironment::Running {
  Running(const asio::any_io_executor& executor, std::shared_ptr<carrier::CarrierRun> run,
          PlainCall what, CancelToken token)
      : carrier(std::move(run)), call(std::move(what)), cancel(std::move(token)), limit(executor) {
    limit.expires_at(call.spec.timeout.count() > 0 ? begun + call.spec.timeout
                                                   : Clock::time_point::max());
    cancel.on_cancel([this] { limit.expires_at(Clock::time_point::min()); });
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { cancel.on_cancel(nullptr); }

  void add(std::string_view output) {
    window.add(output);
    if (call.spec.on_output && !output.empty()) call.spec.on_output(output);
  }

  std::shared_ptr<carrier::CarrierRun> carrier;
  PlainCall call;
  CancelToken cancel;
  Clock::time_point begun = Clock::now();
  asio::steady_timer limit;  // when it is ended, or no longer waited for
  Sent sent = Sent::all;
  bool killed = false;
  PlainReader reader{call.nonce};
  OutputWindow window{call.spec.head_limit, call.spec.tail_limit};
  CommandOutcome outcome = {};
};

Task<Result<CommandOutcome>> PlainEnvironment::run(CommandSpec spec, CancelToken cancel) {
  if (const auto usable = check_call(spec, cancel); !usable) co_return fail(usable.error());
  if (const auto read = co_await read_whole_input(spec, cancel); !read)
    co_return fail(read.error());
  spare_session(spec);
  PlainCall call{.nonce = os::random_hex(16), .id = random_run_id(), .spec = std::move(spec)};
  auto run = options_.carrier->start(plain_script(places()));
  if (!run) co_return fail(run.error());

  Running running(executor_, std::move(*run), std::move(call), std::move(cancel));
  co_await send(running);
  co_await read_to_end(running);
  if (!running.reader.trailer() && !running.killed) co_return fail(co_await failure(running));
  co_return outcome(running);
}

// Its input is closed in any case: the script waits for the end of it, and what was cut off does
// not run.
Task<void> PlainEnvironment::send(Running& running) {
  using asio::experimental::awaitable_operators::operator||;
  const std::string input = plain_input(running.call);
  const milliseconds patience = options_.carrier->options().patience;
  const auto first = co_await (write_all(*running.carrier, input, patience) ||
                               running.limit.async_wait(as_values));
  boost::system::error_code ignored;
  running.carrier->input.close(ignored);
  if (first.index() != 0) co_return;  // the reader still has the limit
  running.sent = std::get<0>(first);
  if (running.sent != Sent::all && !running.cancel.cancelled()) {
    running.limit.expires_after(kTrailerPatience);
  }
}

// To the trailer, or the end of the stream; the command is ended at its limit.
Task<void> PlainEnvironment::read_to_end(Running& running) {
  using asio::experimental::awaitable_operators::operator||;
  bool open = true;
  while (open && !running.reader.trailer()) {
    std::string bytes;
    const auto first =
        co_await (read_some(*running.carrier, bytes) || running.limit.async_wait(as_values));
    const bool late = first.index() != 0;
    std::string output;
    running.reader.feed(bytes, output);
    open = late || std::get<0>(first);
    if (!open) running.reader.finish(output);
    running.add(output);
    if (!late) continue;
    if (running.killed || running.sent != Sent::all) break;
    running.killed = true;
    running.outcome.ended =
        running.cancel.cancelled() ? CommandEnd::interrupted : CommandEnd::timed_out;
    running.cancel.on_cancel(nullptr);
    running.outcome.survivors = co_await kill(running.call.id, running.outcome.notices);
    running.limit.expires_after(kTrailerPatience);
  }
}

// For a command whose result did not arrive.
Task<Error> PlainEnvironment::failure(Running& running) {
  const carrier::Carrier& carrier = *options_.carrier;
  std::string message = running.carrier->complaint();
  if (!running.reader.started()) {
    if (message.empty()) message = running.reader.refusal();
    if (running.sent == Sent::stalled) {
      message = "it took no more of the command in " + in_seconds(carrier.options().patience) +
                " s" + (message.empty() ? "" : ". It says: " + message);
    }
    co_return Error(ErrorKind::unavailable, carrier.explain({.message = std::move(message)}));
  }
  std::vector<std::string> ignored;
  (void)co_await kill(running.call.id, ignored);
  co_return Error(ErrorKind::runner_lost,
                  "the connection broke while the command ran; its result is unknown: " +
                      carrier.explain({.message = std::move(message)}));
}

CommandOutcome PlainEnvironment::outcome(Running& running) {
  CommandOutcome outcome = std::move(running.outcome);
  outcome.status = Signaled{SIGKILL};  // as far as is known of one that was killed
  if (const auto& trailer = running.reader.trailer()) {
    outcome.status = trailer->exit_status();
    outcome.cwd = trailer->cwd;
    outcome.background_children = trailer->children;
    notices_.add(*trailer, running.call.spec, outcome.notices);
  }
  running.window.put_into(outcome);
  outcome.duration =
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - running.begun);
  return outcome;
}

// Returns the processes that are left. A target that does not answer is a notice.
Task<std::vector<Leftover>> PlainEnvironment::kill(std::string id,
                                                   std::vector<std::string>& notices) {
  const auto said = co_await options_.carrier->run(plain_kill_script(places(), id));
  if (said) co_return leftovers(*said);
  notices.push_back("the command could not be ended at the target and may still run: " +
                    said.error().message());
  co_return std::vector<Leftover>();
}

// The state of a session stays until the environment is removed.
Task<Result<void>> PlainEnvironment::end_session(std::string /*session*/) {
  co_return Result<void>();
}

Task<Result<void>> PlainEnvironment::close(bool remove) {
  const TargetOptions& target = options_.target;
  if (target.close) co_return co_await target.close(remove);
  if (target.instance) co_return co_await target.instance->close(remove);
  if (!remove) co_return Result<void>();
  const auto done = co_await options_.carrier->run(plain_remove_script(places()));
  if (!done) co_return fail(done.error());
  co_return Result<void>();
}

}  // namespace talaria::environment::plain
