#include "environment/link_processes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "environment/end_runner.h"
#include "environment/link_conversion.h"
#include "environment/link_input.h"
#include "os/random.h"

namespace talaria::environment {
Task<Result<StartedProcess>> LinkProcesses::start(CommandSpec command, ProcessSpec spec,
                                                  CancelToken cancel) {
  std::vector<std::string> notices;
  if (prepare_) notices = co_await prepare_(cancel);
  auto started = co_await start_as("", std::move(command), std::move(spec), std::move(cancel));
  if (started) std::ranges::move(notices, std::back_inserter(started->notices));
  co_return started;
}

Task<Result<StartedProcess>> LinkProcesses::start_as(std::string id, CommandSpec command,
                                                     ProcessSpec spec, CancelToken cancel) {
  const std::function<Task<Result<StartedProcess>>()> attempt = [&] {
    return start_once(id, command, spec, cancel);
  };
  co_return co_await starts_.run(attempt);
}

Task<Result<StartedProcess>> LinkProcesses::start_once(std::string id, CommandSpec command,
                                                       ProcessSpec spec, CancelToken cancel) {
  const std::string session = command.session;
  std::optional<std::string> input = std::move(command.stdin_data);
  const bool with_login = id.empty() || spec.login;
  auto prepared = co_await starts_.prepare(std::move(command), cancel, with_login);
  if (!prepared) co_return fail(prepared.error());
  link::Start& start = prepared->start;
  if (!id.empty()) start.start_id = std::move(id);
  start.detached = true;
  start.lifetime = to_link(spec.lifespan);
  const bool ends_input = !spec.takes_input;
  start.stdin_mode = spec.takes_input || input ? link::StdinMode::stream : link::StdinMode::none;
  if (spec.terminal) start.pty = to_link(*spec.terminal);
  const auto on_sent = std::move(spec.on_sent);
  add_process(start, std::move(spec));
  const bool is_sent = driver_->connected();
  auto pending = driver_->begin(start, {.request = {.same_runner = prepared->known_session}});
  if (!pending) {
    starts_.given_up(session, *prepared);
    co_return fail(pending.error());
  }
  if (is_sent && on_sent) on_sent(start.start_id);
  auto started = report_of<link::Started>(co_await driver_->finish(std::move(*pending)));
  if (started && started->unjudged) {
    starts_.given_up(session, *prepared);
    co_return StartedProcess{.unjudged = from_link(std::move(*started->unjudged))};
  }
  co_await starts_.answered(session, started.has_value(), *prepared);
  if (!started) co_return fail(started.error());
  starts_.add_news(prepared->notices);
  if (input) {
    spawn(co_await asio::this_coro::executor,
          send_input_or_kill(driver_, {started->process, std::move(*input), ends_input}));
  }
  co_return StartedProcess{.id = std::move(started->process),
                           .pid = started->pid,
                           .cwd = std::move(started->cwd),
                           .notices = std::move(prepared->notices)};
}

Task<Result<std::vector<ProcessInfo>>> LinkProcesses::list(ProcessQuery query) {
  auto report = report_of<link::ListReport>(co_await driver_->call(link::List{
      .process = std::move(query.id), .tail_limit = query.tail_limit, .background = true}));
  if (!report) co_return fail(report.error());
  std::vector<ProcessInfo> processes;
  for (link::ProcessEntry& entry : report->processes)
    processes.push_back(from_link(std::move(entry)));
  co_return processes;
}

Task<Result<ProcessInfo>> LinkProcesses::wait(ProcessQuery query, CancelToken cancel) {
  auto report = report_of<link::ExitReport>(co_await driver_->call(
      link::Wait{.process = std::move(query.id), .tail_limit = query.tail_limit}, {},
      std::move(cancel)));
  if (!report) co_return fail(report.error());
  co_return from_link(std::move(*report));
}

Task<Result<KilledProcess>> LinkProcesses::kill(std::string id, std::string source) {
  auto report = report_of<link::KillReport>(
      co_await driver_->call(link::Kill{.process = std::move(id),
                                        .reason = link::KillReason::terminate,
                                        .source = std::move(source)}));
  if (!report) co_return fail(report.error());
  co_return KilledProcess{.already_ended = report->already_ended,
                          .survivors = from_link(std::move(report->survivors))};
}

Task<Result<void>> LinkProcesses::signal(std::string id, int number) {
  const auto report = report_of<link::KillReport>(co_await driver_->call(
      link::Kill{.process = std::move(id), .signal = static_cast<std::uint32_t>(number)}));
  if (!report) co_return fail(report.error());
  if (report->already_ended) co_return fail(ErrorKind::unavailable, "it has ended already");
  co_return Result<void>();
}

// A gap ends what the runner sends, if it leads beyond what was asked for or allowed.
Task<Result<OutputRead>> LinkProcesses::read(OutputQuery query, OutputSink on_output,
                                             CancelToken cancel) {
  std::uint64_t lost = 0;
  for (;;) {
    std::uint64_t given = 0;
    const OutputSink counted = [&](std::uint64_t from, std::string_view bytes) {
      given += bytes.size();
      on_output(from, bytes);
    };
    auto read = co_await read_to_gap(query, counted, cancel);
    if (!read) co_return read;
    const bool gap = read->lost > 0;
    const bool enough = query.max > 0 && given >= query.max;
    const bool more = !read->eof && (query.follow || read->next < read->total);
    lost += read->lost;
    read->lost = lost;
    if (!gap || enough || !more) co_return read;
    query.from = read->next;
    if (query.max > 0) query.max -= given;
  }
}

Task<Result<OutputRead>> LinkProcesses::read_to_gap(OutputQuery query, OutputSink on_output,
                                                    CancelToken cancel) {
  const link::Read read{
      .process = query.id, .from = query.from, .max = query.max, .follow = query.follow};
  link::LinkCall call;
  call.request.data_from = read.from;
  call.request.data_limit = read.from + link::kDefaultWindow;
  // Over a new connection: only what is still missing.
  call.request.resume = [read](std::uint64_t received) {
    link::Read rest = read;
    const std::uint64_t got = std::max(received, read.from) - read.from;
    rest.from = read.from + got;
    // Not 0, which means no limit: if only the answer is missing, a byte more comes with it.
    if (read.max > 0) rest.max = std::max<std::uint64_t>(read.max - std::min(got, read.max), 1);
    return link::Call{link::Method::read, link::encode(rest)};
  };
  call.on_data_at = std::move(on_output);
  const auto report =
      report_of<link::ReadReport>(co_await driver_->call(read, std::move(call), std::move(cancel)));
  if (!report) co_return fail(report.error());
  co_return OutputRead{
      .next = report->next, .total = report->total, .eof = report->eof, .lost = report->lost};
}

// Each call is a writer of its own, so that its pieces are not mistaken for those of another call.
Task<Result<bool>> LinkProcesses::write(std::string id, std::string data, bool end,
                                        CancelToken cancel) {
  return send_input(driver_, {std::move(id), std::move(data), end, os::random_hex(8)},
                    std::move(cancel));
}

Task<Result<void>> LinkProcesses::resize(std::string id, ScreenSize size) {
  const auto answer =
      co_await driver_->call(link::Resize{.process = std::move(id), .size = to_link(size)});
  if (!answer) co_return fail(answer.error());
  co_return Result<void>();
}

Task<Result<std::uint64_t>> LinkProcesses::events(
    EventQuery query, std::function<void(const NumberedEvent&)> on_event, CancelToken cancel) {
  const auto last = std::make_shared<std::uint64_t>(query.after);
  link::LinkCall call;
  call.request.resume = [last, follow = query.follow](std::uint64_t) {
    return link::Call{link::Method::events,
                      link::encode(link::Events{.after = *last, .follow = follow})};
  };
  call.on_note = [last, on_event = std::move(on_event), target = target_](std::string_view note) {
    auto event = link::decode<link::RunnerEvent>(note);
    if (!event || event->number <= *last) return;
    *last = event->number;
    on_event(from_link(std::move(*event), target));
  };
  const auto report = report_of<link::EventsReport>(
      co_await driver_->call(link::Events{.after = query.after, .follow = query.follow},
                             std::move(call), std::move(cancel)));
  if (!report) co_return fail(report.error());
  co_return report->last;
}

Task<Result<void>> LinkProcesses::acknowledge(std::string instance, std::uint64_t up_to) {
  const auto answer =
      co_await driver_->call(link::Acknowledge{.up_to = up_to, .instance = std::move(instance)});
  if (!answer) co_return fail(answer.error());
  co_return Result<void>();
}

}  // namespace talaria::environment
