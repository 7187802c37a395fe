#include "environment/link_environment.h"

#include <sys/random.h>

#include "base/version.h"

namespace talaria {
namespace {

constexpr std::size_t kInputPiece = 128 * 1024;

LinkId new_link_id() {
  LinkId id;
  (void)!::getrandom(id.bytes.data(), id.bytes.size(), 0);
  return id;
}

// Ours and nobody else's, so that the runner can tell a command sent twice from two commands.
std::string new_process_id() {
  std::array<unsigned char, 6> bytes{};
  (void)!::getrandom(bytes.data(), bytes.size(), 0);
  std::string id = "proc_";
  for (const unsigned char byte : bytes) {
    id += "0123456789abcdef"[byte >> 4];
    id += "0123456789abcdef"[byte & 15];
  }
  return id;
}

LinkDriverOptions driver_options(const LinkEnvironment::Options& options) {
  return {.client = {.new_link_id = new_link_id, .software = std::string(kVersion)},
          .patience = options.patience,
          .batch_ms = options.batch_ms};
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
          .umask = spec.umask};
}

// Over a new connection: the same start, from the byte reached. The runner knows the id.
std::function<Call(std::uint64_t)> resume_of(const Start& start) {
  return [start](std::uint64_t received) {
    Start again = start;
    again.output_from = received;
    return Call{Method::start, encode(again)};
  };
}

// A batch cannot bring credit back while it is being written, so input goes inside the requests.
// What becomes of it the start's answer tells.
Task<void> write_in_pieces(std::shared_ptr<LinkDriver> driver, std::string process,
                           std::string input) {
  std::size_t from = 0;
  do {
    Write write{.process = process, .from = from, .data = input.substr(from, kInputPiece)};
    from += write.data.size();
    write.end = from == input.size();
    if (!co_await driver->call(std::move(write))) co_return;
  } while (from < input.size());
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
  if (cancel.cancelled()) co_return fail(ErrorKind::interrupted, "given up before it started");
  if (options_.elsewhere) {
    spec.env.clear();
    spec.first_cwd.clear();
    spec.umask.reset();
  }
  std::optional<std::string> input = std::move(spec.stdin_data);
  if (input) spec.stdin_data = "";  // start_of() only asks whether there is any
  std::function<void(std::string_view)> on_output = std::move(spec.on_output);
  if (on_output) spec.on_output = [](std::string_view) {};
  Start start = start_of(spec);
  start.sequence = driver_->next_start_sequence();
  const std::string process = start.start_id;

  LinkCall call;
  if (on_output) call.request.data_limit = kDefaultWindow;
  call.request.resume = resume_of(start);
  call.on_data = std::move(on_output);
  cancel.on_cancel([driver = driver_, process] { (void)driver->begin(Kill{.process = process}); });

  auto pending = driver_->begin(start, std::move(call));
  if (!pending) co_return fail(pending.error());
  if (input && options_.batch_ms > 0) {
    const auto executor = co_await asio::this_coro::executor;
    spawn(executor, write_in_pieces(driver_, process, std::move(*input)));
  } else if (input) {  // behind the start, so the runner knows the process
    const Write write{.process = process, .stream = !input->empty(), .end = true};
    const auto uploading = driver_->begin(write, {.upload = std::move(*input)});
    if (!uploading) co_return fail(uploading.error());
  }
  const Result<std::string> answer = co_await driver_->finish(std::move(*pending));
  cancel.on_cancel(nullptr);
  if (!answer) co_return fail(answer.error());
  auto report = decode<ExitReport>(*answer);
  if (!report) co_return fail(report.error());
  co_return outcome_of(std::move(*report), cancel.cancelled());
}

}  // namespace talaria
