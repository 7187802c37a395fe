#include "environment/plain/plain_environment.h"

#include <charconv>
#include <csignal>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/text.h"
#include "base/time_limit.h"
#include "environment/plain/kept_output.h"
#include "os/random.h"

namespace talaria {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto kAfterKill = milliseconds(5'000);  // for the script to say how it ended
constexpr std::size_t kChunk = 128 * 1024;

// All of it; false if the carrier takes no more. Why is in what it says.
Task<bool> write_all(CarrierRun& run, std::string_view bytes, milliseconds patience) {
  while (!bytes.empty()) {
    const auto buffer = asio::buffer(bytes.data(), bytes.size());
    const auto written = co_await within(patience, run.input.async_write_some(buffer, as_values));
    if (!written || std::get<0>(*written)) co_return false;
    bytes.remove_prefix(std::get<1>(*written));
  }
  boost::system::error_code ignored;
  run.input.close(ignored);
  co_return true;
}

// Appends what comes next; false at the end.
Task<bool> read_some(CarrierRun& run, std::string& text) {
  const std::size_t before = text.size();
  text.resize(before + kChunk);
  const auto [error, size] =
      co_await run.output.async_read_some(asio::buffer(text.data() + before, kChunk), as_values);
  text.resize(before + size);
  co_return !error;
}

// Sixteen digits.
std::string random_id() {
  return std::to_string(1'000'000'000'000'000 + std::stoull(random_hex(6), nullptr, 16));
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
      processes_(options_.why),
      files_(options_.why) {}

Task<Result<CommandOutcome>> PlainEnvironment::run(CommandSpec spec, CancelToken cancel) {
  using asio::experimental::awaitable_operators::operator||;
  if (cancel.cancelled()) co_return fail(ErrorKind::interrupted, "given up before it started");
  if (spec.command.contains('\0')) {
    co_return fail(ErrorKind::bad_request, "the command holds a NUL byte");
  }
  PlainCall call{.nonce = random_hex(16), .id = random_id(), .spec = std::move(spec)};
  auto run = start_carrier(executor_, options_.carrier->command(), plain_script(places()));
  if (!run) co_return fail(run.error());

  PlainReader reader(call.nonce);
  KeptOutput kept(call.spec.head_limit, call.spec.tail_limit);
  CommandOutcome outcome;
  const auto begun = Clock::now();
  asio::steady_timer limit(executor_, Clock::time_point::max());
  if (call.spec.timeout.count() > 0) limit.expires_at(begun + call.spec.timeout);
  cancel.on_cancel([&limit] { limit.expires_at(Clock::time_point::min()); });

  const bool sent =
      co_await write_all(**run, plain_input(call), options_.carrier->options().patience);
  (void)sent;  // else the script says so, or is gone
  bool killed = false;
  bool open = true;
  while (open && !reader.trailer()) {
    std::string bytes;
    const auto first = co_await (read_some(**run, bytes) || limit.async_wait(as_values));
    std::string output;
    reader.feed(bytes, output);
    if (first.index() == 0) {
      open = std::get<0>(first);
      if (!open) reader.finish(output);
    }
    kept.add(output);
    if (call.spec.on_output && !output.empty()) call.spec.on_output(output);
    if (first.index() == 0) continue;
    if (killed) break;
    killed = true;
    outcome.ended = cancel.cancelled() ? CommandEnd::interrupted : CommandEnd::timed_out;
    cancel.on_cancel(nullptr);
    outcome.survivors = co_await kill(call.id, outcome.notices);
    limit.expires_after(kAfterKill);
  }
  cancel.on_cancel(nullptr);

  if (!reader.trailer() && !killed) {
    const std::string complaint = (*run)->complaint();
    if (!reader.started()) {
      const std::string refusal = reader.refusal();
      co_return fail(ErrorKind::unavailable,
                     options_.carrier->explain({.words = complaint.empty() ? refusal : complaint}));
    }
    std::vector<std::string> words;
    (void)co_await kill(call.id, words);
    co_return fail(ErrorKind::runner_lost,
                   "the connection broke while the command ran; nobody knows how it ended: " +
                       options_.carrier->explain({.words = complaint}));
  }
  outcome.status = Signaled{SIGKILL};  // as far as is known of one that was killed
  if (const auto& trailer = reader.trailer()) {
    outcome.status = trailer->exit_status();
    outcome.cwd = trailer->cwd;
    outcome.background_children = trailer->children;
    add_notices(*trailer, outcome.notices);
  }
  outcome.total = kept.total();
  outcome.tail = kept.tail();
  outcome.tail_from = outcome.total - outcome.tail.size();
  outcome.head = kept.head();
  outcome.duration = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
  co_return outcome;
}

void PlainEnvironment::add_notices(const PlainTrailer& trailer, std::vector<std::string>& notices) {
  if (!trailer.notice.empty()) notices.push_back(trailer.notice);
  if (!std::exchange(told_why_, true)) {
    notices.push_back("this target is used without a runner (transport \"plain\"): " +
                      options_.why + ". There are no background processes, terminals or files");
  }
  if (trailer.shell == "sh" && !std::exchange(told_shell_, true)) {
    notices.emplace_back(
        "there is no bash on this target (4.0 or newer): commands run in sh, and of a session the "
        "directory, exported variables, aliases, umask and the options -a, -f and -C are kept; "
        "functions are not, because sh cannot print them");
  }
}

// What could not be ended. That nobody could be asked is a notice.
Task<std::vector<Leftover>> PlainEnvironment::kill(std::string id,
                                                   std::vector<std::string>& notices) {
  const auto said = co_await options_.carrier->run(plain_kill_script(places(), id));
  if (said) co_return leftovers(*said);
  notices.push_back("the command could not be ended at the target and may still run: " +
                    said.error().message());
  co_return std::vector<Leftover>();
}

Task<Result<void>> PlainEnvironment::close(bool remove) {
  if (!remove) co_return Result<void>();
  const auto done = co_await options_.carrier->run(plain_remove_script(places()));
  if (!done) co_return fail(done.error());
  co_return Result<void>();
}

}  // namespace talaria
