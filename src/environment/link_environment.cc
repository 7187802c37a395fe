#include "environment/link_environment.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/asio/steady_timer.hpp>

#include "environment/login.h"
#include "environment/runner_stream.h"
#include "os/random.h"

namespace talaria {
namespace {

constexpr std::size_t kInputPiece = 128 * 1024;
constexpr auto kKillPause = std::chrono::milliseconds(50);
constexpr std::size_t kMostKnownSessions = 4096;  // then each asks once more

// Ours and nobody else's, so that the runner can tell a command sent twice from two commands.
std::string new_process_id() { return "proc_" + random_hex(6); }

LinkDriverOptions driver_options(const LinkEnvironment::Options& options) {
  return {.client = link_identity(), .patience = options.patience, .batch_ms = options.batch_ms};
}

Start start_of(CommandSpec& spec) {
  return {.start_id = new_process_id(),
          .session = spec.session,
          .command = std::move(spec.command),
          .cwd = std::move(spec.workdir),
          .env = std::move(spec.env),
          .timeout_ms = static_cast<std::uint64_t>(spec.timeout.count()),
          .stdin_mode = spec.stdin_data ? StdinMode::stream : StdinMode::none,
          .head_limit = spec.head_limit,
          .tail_limit = spec.tail_limit,
          .stream_output = static_cast<bool>(spec.on_output),
          .spill_quota = spec.spill_quota,
          .first_cwd = std::move(spec.first_cwd),
          .umask = spec.umask,
          .move_to = std::move(spec.move_to)};
}

Login login_request(const LoginFiles& files, const CommandSpec& spec) {
  return {.env = spec.env,
          .files = files.files,
          .bashrc = files.bashrc,
          .withheld = files.withheld,
          .session = spec.session};
}

// Over a new connection: the same start, from the byte reached. The runner knows the id.
std::function<Call(std::uint64_t)> resume_of(const Start& start) {
  return [start](std::uint64_t received) {
    Start again = start;
    again.output_from = received;
    return Call{Method::start, encode(again)};
  };
}

// Once the runner has said that the process is there: a Write on its own could overtake a long
// Start. The input goes inside the requests, piece by piece, because a batch cannot bring credit
// back while it is being written. What becomes of it the start's answer tells.
Task<void> write_input(std::shared_ptr<LinkDriver> driver, std::string process, std::string input) {
  std::size_t from = 0;
  do {
    Write write{.process = process, .from = from, .data = input.substr(from, kInputPiece)};
    from += write.data.size();
    write.end = from == input.size();
    if (co_await driver->call(std::move(write))) continue;
    // Nobody would ever give it the rest.
    (void)co_await driver->call(Kill{.process = process});
    co_return;
  } while (from < input.size());
}

// A Kill, too, may be there before the Start it is about.
Task<void> kill_process(std::shared_ptr<LinkDriver> driver, std::string process,
                        std::shared_ptr<const bool> over) {
  asio::steady_timer pause(co_await asio::this_coro::executor);
  while (!*over) {
    const Result<std::string> answer = co_await driver->call(Kill{.process = process});
    if (answer || answer.error().kind() != ErrorKind::not_found) co_return;
    pause.expires_after(kKillPause);
    co_await pause.async_wait(as_values);
  }
}

CommandEnd end_of(const ExitReport& report, bool cancelled) {
  if (report.ended == Ended::timed_out) return CommandEnd::timed_out;
  if (report.ended == Ended::killed && cancelled) return CommandEnd::interrupted;
  return CommandEnd::exited;
}

Result<CommandOutcome> outcome_of(ExitReport report, bool cancelled) {
  if (report.ended == Ended::lost) {
    return fail(ErrorKind::runner_lost,
                "the process that watched over the command was killed; nobody knows how it ended");
  }
  CommandOutcome outcome{
      .ended = end_of(report, cancelled),
      .total = report.total,
      .head = std::move(report.head),
      .tail = std::move(report.tail),
      .tail_from = report.tail_from,
      .duration = std::chrono::microseconds(report.duration_us),
      .cwd = std::move(report.cwd),
      .spill_path = std::move(report.spill_path),
      .spill_from = report.spill_from,
      .spill_to = report.spill_to,
      .background_children = report.background_children,
      .notices = std::move(report.notices),
  };
  if (report.signal != 0) {
    outcome.status = Signaled{static_cast<int>(report.signal)};
  } else {
    outcome.status = Exited{report.code};
  }
  for (Survivor& survivor : report.survivors) {
    outcome.survivors.push_back({.pid = static_cast<int>(survivor.pid),
                                 .name = std::move(survivor.name),
                                 .reason = std::move(survivor.reason)});
  }
  return outcome;
}

}  // namespace

LinkEnvironment::LinkEnvironment(const asio::any_io_executor& executor, Options options,
                                 LinkDriver::Connect connect)
    : options_(std::move(options)),
      driver_(
          std::make_shared<LinkDriver>(executor, std::move(connect), driver_options(options_))) {}

Task<Result<CommandOutcome>> LinkEnvironment::run(CommandSpec spec, CancelToken cancel) {
  // `unavailable` from a runner we can reach means that the command did not start: then, and only
  // then, it is tried once more.
  CommandSpec again = spec;
  auto outcome = co_await run_once(std::move(spec), cancel);
  const bool not_started = !outcome && outcome.error().kind() == ErrorKind::unavailable;
  if (!not_started || !driver_->reached()) co_return outcome;
  known_sessions_.clear();  // the runner may be another one
  co_return co_await run_once(std::move(again), cancel);
}

Task<Result<CommandOutcome>> LinkEnvironment::run_once(CommandSpec spec, CancelToken cancel) {
  if (cancel.cancelled()) co_return fail(ErrorKind::interrupted, "given up before it started");
  if (options_.elsewhere) {
    spec.env.clear();
    spec.first_cwd.clear();
    spec.umask.reset();
  }
  LoginReport login;
  const std::string session = spec.session;
  // The next runner may know nothing of a session that this one had. (A batch is a stream of its
  // own.)
  if (options_.batch_ms == 0 && !driver_->connected()) known_sessions_.clear();
  if (!session.empty() && !known_sessions_.contains(session)) {
    auto report = co_await ask_login(driver_, login_request(options_.login, spec), cancel);
    if (!report) co_return fail(report.error());
    login = std::move(*report);
  }
  std::optional<std::string> input = std::move(spec.stdin_data);
  if (input) spec.stdin_data = "";  // start_of() only asks whether there is any
  std::function<void(std::string_view)> on_output = std::move(spec.on_output);
  if (on_output) spec.on_output = [](std::string_view) {};
  Start start = start_of(spec);
  start.login = std::move(login.id);
  start.sequence = driver_->next_start_sequence();
  const std::string process = start.start_id;

  LinkCall call;
  if (on_output) call.request.data_limit = kDefaultWindow;
  call.request.resume = resume_of(start);
  call.on_data = std::move(on_output);
  const auto executor = co_await asio::this_coro::executor;
  const auto over = std::make_shared<bool>(false);
  cancel.on_cancel([executor, driver = driver_, process, over] {
    spawn(executor, kill_process(driver, process, over));
  });
  if (input) {
    const auto unsent = std::make_shared<std::optional<std::string>>(std::move(input));
    call.on_note = [executor, driver = driver_, process, unsent](std::string_view) {
      if (!*unsent) return;  // said again over a new connection
      spawn(executor, write_input(driver, process, *std::exchange(*unsent, std::nullopt)));
    };
  }
  const Result<std::string> answer = co_await driver_->call(std::move(start), std::move(call));
  *over = true;
  cancel.on_cancel(nullptr);
  if (!answer) {
    known_sessions_.clear();
    co_return fail(answer.error());
  }
  if (known_sessions_.size() >= kMostKnownSessions) known_sessions_.clear();
  if (!session.empty()) known_sessions_.insert(session);
  auto report = decode<ExitReport>(*answer);
  if (!report) co_return fail(report.error());
  std::ranges::move(login.notices, std::back_inserter(report->notices));
  co_return outcome_of(std::move(*report), cancel.cancelled());
}

}  // namespace talaria
