#include "environment/link_environment.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/asio/steady_timer.hpp>

#include "base/event.h"
#include "environment/link_conversion.h"
#include "environment/link_input.h"
#include "environment/runner_stream.h"
#include "environment/script_calls.h"

namespace talaria::environment {
namespace {

constexpr auto kKillPause = std::chrono::milliseconds(50);
constexpr auto kRecentPause = std::chrono::seconds(1);

// Over a new connection: the same start, from the byte reached. The runner knows the id.
std::function<link::Call(std::uint64_t)> resume_of(std::shared_ptr<const link::Start> start) {
  return [start = std::move(start)](std::uint64_t received) {
    link::Start again = *start;
    again.output_from = received;
    return link::Call{link::Method::start, link::encode(again)};
  };
}

// A Kill, too, may be there before the Start it is about.
Task<void> kill_process(std::shared_ptr<link::LinkDriver> driver, std::string process,
                        std::shared_ptr<const bool> over) {
  asio::steady_timer pause(co_await asio::this_coro::executor);
  while (!*over) {
    const Result<std::string> answer = co_await driver->call(link::Kill{.process = process});
    if (answer || answer.error().kind() != ErrorKind::not_found) co_return;
    pause.expires_after(kKillPause);
    co_await pause.async_wait(as_values);
  }
}

// Looks what a command printed last, until `ended` is set. Its output itself is not transferred for
// that: there may be much of it, over a slow link.
Task<void> show_recent_output(std::shared_ptr<link::LinkDriver> driver, link::List look,
                              std::function<void(const ProcessInfo&)> show,
                              std::shared_ptr<AsyncEvent> ended) {
  std::uint64_t shown = 0;
  while (!co_await ended->wait_for(kRecentPause)) {
    const Result<std::string> answer = co_await driver->call(look);
    auto report = answer ? link::decode<link::ListReport>(*answer) : fail(answer.error());
    if (ended->is_set() || !report || report->processes.empty()) continue;
    link::ProcessEntry& entry = report->processes.front();
    if (std::exchange(shown, entry.total) != entry.total) show(from_link(std::move(entry)));
  }
}

CommandEnd end_of(const link::ExitReport& report, bool cancelled) {
  if (report.ended == link::Ended::timed_out) return CommandEnd::timed_out;
  if (report.ended == link::Ended::killed && cancelled) return CommandEnd::interrupted;
  return CommandEnd::exited;
}

Result<CommandOutcome> outcome_of(link::ExitReport report, bool cancelled) {
  if (report.ended == link::Ended::lost) {
    return fail(ErrorKind::runner_lost,
                "the process that watched over the command was killed; the result of the command "
                "is unknown");
  }
  CommandOutcome outcome{
      .ended = end_of(report, cancelled),
      .handed_over = report.ended == link::Ended::handed_over ? report.process : "",
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
      .oom_killed = report.oom_killed,
      .sudo_rejected = report.sudo_rejected,
      .errors = std::move(report.errors),
      .errors_total = report.errors_total,
  };
  if (report.signal != 0) {
    outcome.status = Signaled{static_cast<int>(report.signal)};
  } else {
    outcome.status = Exited{report.code};
  }
  outcome.survivors = from_link(std::move(report.survivors));
  return outcome;
}

}  // namespace

LinkEnvironment::LinkEnvironment(const asio::any_io_executor& executor, TargetOptions options,
                                 link::LinkDriver::Connect connect)
    : options_(std::move(options)),
      driver_(std::make_shared<link::LinkDriver>(
          executor, std::move(connect),
          link::LinkDriverOptions{.client = link_identity(), .batch_ms = options_.batch_ms})),
      starts_(driver_, options_),
      processes_(options_.target, driver_, starts_),
      files_(driver_) {}

Task<Result<CommandOutcome>> LinkEnvironment::run(CommandSpec spec, CancelToken cancel) {
  std::shared_ptr<InputSource> more;
  if (spec.stdin_fd) {
    more = std::make_shared<InputSource>(co_await asio::this_coro::executor, *spec.stdin_fd);
  }
  const std::function<Task<Result<CommandOutcome>>()> attempt = [&] {
    return run_once(spec, more, cancel);
  };
  Result<CommandOutcome> outcome = co_await starts_.run(attempt);
  if (more) more->stop();
  co_return outcome;
}

// Judged by what no session is: the runner says how it differs. A runner of an older version, which
// does not compare, would run nothing that matters.
Task<Result<std::optional<shell::SessionDefinitions>>> LinkEnvironment::look(CommandSpec spec,
                                                                             CancelToken cancel) {
  CommandSpec question{.command = ":",
                       .session = std::move(spec.session),
                       .workdir = std::move(spec.workdir),
                       .first_cwd = std::move(spec.first_cwd),
                       .move_to = std::move(spec.move_to),
                       .env = std::move(spec.env),
                       .carried_env = std::move(spec.carried_env),
                       .umask = spec.umask,
                       .judged = std::move(spec.judged)};
  question.judged.uses_directory = true;
  question.judged.facts = "not known";
  auto outcome = co_await run(std::move(question), std::move(cancel));
  if (!outcome) co_return fail(outcome.error());
  co_return std::move(outcome->unjudged);
}

Task<Result<void>> LinkEnvironment::end_session(std::string session) {
  const auto answer = co_await driver_->call(link::EndSession{.session = session});
  if (!answer) co_return fail(answer.error());
  co_await starts_.forget(session);
  co_return Result<void>();
}

Task<Result<void>> LinkEnvironment::close(bool remove) {
  driver_->disconnect();
  Result<void> closed;
  if (options_.close) {
    closed = co_await options_.close(remove);
  } else if (options_.instance) {
    closed = co_await options_.instance->close(remove);
  }
  if (closed && remove) co_await starts_.forget_all();
  co_return closed;
}

Task<Result<CommandOutcome>> LinkEnvironment::run_once(CommandSpec spec,
                                                       std::shared_ptr<InputSource> more,
                                                       CancelToken cancel) {
  if (more && more->begun()) {
    co_return fail(ErrorKind::unavailable,
                   "the command did not start, and part of its input is used up; run it again");
  }
  const std::string session = spec.session;
  const std::optional<ScriptSpec> script = spec.script;
  std::optional<std::string> input = std::move(spec.stdin_data);
  if (more && !input) input.emplace();
  std::function<void(std::string_view)> on_output = std::move(spec.on_output);
  const auto show = std::move(spec.on_recent_output);
  const std::uint64_t recent_limit = spec.recent_limit;
  std::function<void(std::string_view)> on_errors = std::move(spec.on_errors);
  std::shared_ptr<OutputFlow> flow = std::move(spec.flow);
  auto prepared = co_await starts_.prepare(std::move(spec), cancel);
  if (!prepared) co_return fail(prepared.error());
  link::Start& start = prepared->start;
  start.stdin_mode = input ? link::StdinMode::stream : link::StdinMode::none;
  start.stream_output = static_cast<bool>(on_output);
  start.errors_apart = static_cast<bool>(on_errors);
  const std::string process = start.start_id;
  const auto sent = std::make_shared<const link::Start>(std::move(start));

  link::LinkCall call;
  if (on_output) call.request.data_limit = link::kDefaultWindow;
  call.request.resume = resume_of(sent);
  call.request.same_runner = prepared->known_session;
  call.on_data = std::move(on_output);
  call.on_errors = std::move(on_errors);
  call.flow = std::move(flow);
  const auto executor = co_await asio::this_coro::executor;
  const auto over = std::make_shared<bool>(false);
  cancel.on_cancel([executor, driver = driver_, process, over] {
    spawn(executor, kill_process(driver, process, over));
  });
  if (input) {
    const auto unsent = std::make_shared<std::optional<std::string>>(std::move(input));
    call.on_note = [executor, driver = driver_, process, unsent, more](std::string_view) {
      if (!*unsent) return;  // repeated over a new connection
      std::string data = *std::exchange(*unsent, std::nullopt);
      ProcessInput rest{.process = process, .data = std::move(data), .end = true, .more = more};
      spawn(executor, send_input_or_kill(driver, std::move(rest)));
    };
  }
  std::shared_ptr<ScriptCalls> lines;
  if (script) {
    lines = std::make_shared<ScriptCalls>(driver_, process, *script, options_.reach_socket);
    call.on_note = [executor, lines, served = false](std::string_view) mutable {
      if (!std::exchange(served, true)) spawn(executor, lines->serve());
    };
  }
  const auto ended = std::make_shared<AsyncEvent>();
  if (show) {
    link::List look{.process = process, .tail_limit = recent_limit};
    spawn(executor, show_recent_output(driver_, std::move(look), show, ended));
  }
  auto pending = driver_->begin(*sent, std::move(call));
  const Result<std::string> answer = pending ? co_await driver_->finish(std::move(*pending))
                                             : Result<std::string>(fail(pending.error()));
  ended->set();
  *over = true;
  if (lines) lines->end();
  cancel.on_cancel(nullptr);
  auto report = answer ? link::decode<link::ExitReport>(*answer) : fail(answer.error());
  if (report && report->unjudged) {
    starts_.given_up(session, *prepared);
    co_return CommandOutcome{.unjudged = from_link(std::move(*report->unjudged))};
  }
  co_await starts_.answered(session, answer.has_value(), *prepared);
  if (!report) co_return fail(report.error());
  std::ranges::move(prepared->notices, std::back_inserter(report->notices));
  starts_.add_news(report->notices);
  co_return outcome_of(std::move(*report), cancel.cancelled());
}

}  // namespace talaria::environment
