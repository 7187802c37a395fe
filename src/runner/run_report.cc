// What a run tells about itself: to whoever waited for its end, and in a list.
#include <algorithm>

#include "os/clock.h"
#include "runner/limits.h"
#include "runner/run.h"

namespace talaria::runner {
namespace {

std::uint64_t milliseconds_since(std::chrono::steady_clock::time_point then) {
  const auto passed = std::chrono::steady_clock::now() - then;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(passed).count());
}

}  // namespace

std::shared_ptr<Run> Run::remembered(const asio::any_io_executor& executor, const ShellHost& host,
                                     const link::ProcessEntry& entry,
                                     std::chrono::microseconds duration,
                                     std::unique_ptr<OutputLog> log) {
  auto run = std::make_shared<Run>(executor, host, Shell{.pid = static_cast<pid_t>(entry.pid)});
  const std::uint64_t now = os::milliseconds_since_1970();
  run->spec_ = {.process = entry.process,
                .session = entry.session,
                .command = entry.command,
                .lifetime = entry.lifetime,
                .max_age = std::chrono::milliseconds(entry.max_age_ms),
                .started_ms = entry.started_ms,
                .owner = entry.owner,
                .watch = entry.watch,
                .notify = entry.notify,
                .pty = entry.pty};
  run->started_ -= std::chrono::milliseconds(now - std::min(now, entry.started_ms));
  run->started_in_ = entry.cwd;
  run->cwd_ = entry.cwd;
  run->duration_ = duration;
  run->ended_ = entry.ended;
  run->ended_ms_ = entry.ended_ms;
  run->source_ = entry.source;
  run->sizes_ = entry.sizes;
  run->log_ = std::move(log);
  if (entry.signal != 0) {
    run->status_ = Signaled{static_cast<int>(entry.signal)};
  } else {
    run->status_ = Exited{entry.code};
  }
  run->finished_ = run->tree_empty_ = run->output_closed_ = run->told_gone_ = true;
  return run;
}

link::ExitReport Run::report_so_far(std::uint64_t head_limit, std::uint64_t tail_limit) const {
  head_limit = std::min(head_limit, kMaxReportedOutput);
  tail_limit = std::min(tail_limit, kMaxReportedOutput);
  link::ExitReport report{.process = spec_.process,
                          .total = log_->total(),
                          .duration_us = static_cast<std::uint64_t>(duration_.count()),
                          .cwd = cwd_,
                          .spill_path = log_->spill_path(),
                          .spill_from = log_->spill_from(),
                          .spill_to = log_->spilled(),
                          .output_held = !output_closed_ && !tree_empty_,
                          .notices = notices_};
  report.head = log_->head(head_limit);
  OutputLog::Piece tail = log_->tail(tail_limit, report.head.size());
  report.tail_from = tail.from;
  report.tail = std::move(tail.bytes);
  return report;
}

link::ExitReport Run::report(std::uint64_t head_limit, std::uint64_t tail_limit) const {
  link::ExitReport report = report_so_far(head_limit, tail_limit);
  report.ended = ended_;
  report.sudo_rejected = spec_.sudo && spec_.sudo->rejected();
  if (spec_.script) {
    report.errors = spec_.script->errors();
    report.errors_total = spec_.script->errors_total();
  }
  report.source = source_;
  report.survivors = survivors_;
  report.background_children = tree_empty_ ? 0 : children_;
  if (const auto* killed = std::get_if<Signaled>(&*status_)) {
    report.signal = static_cast<std::uint32_t>(killed->signal);
  } else {
    report.code = std::get<Exited>(*status_).code;
  }
  return report;
}

link::ExitReport Run::handed_over_report(std::uint64_t head_limit, std::uint64_t tail_limit) const {
  link::ExitReport report = report_so_far(head_limit, tail_limit);
  report.ended = link::Ended::handed_over;
  return report;
}

link::ProcessEntry Run::entry(std::size_t command_limit, std::uint64_t tail_limit) const {
  link::ProcessEntry entry{.process = spec_.process,
                           .start_id = spec_.process,
                           .session = spec_.session,
                           .command = spec_.command.substr(0, command_limit),
                           .pid = static_cast<std::uint64_t>(std::max(shell_.pid, 0)),
                           .running = !finished_,
                           .age_ms = milliseconds_since(started_),
                           .total = log_->total(),
                           .input_next = input_.next(""),
                           .lifetime = spec_.lifetime,
                           .pty = spec_.pty || on_terminal(),
                           .cwd = started_in_,
                           .started_ms = spec_.started_ms,
                           .notify = spec_.notify,
                           .owner = spec_.owner,
                           .sizes = sizes_,
                           .max_age_ms = static_cast<std::uint64_t>(spec_.max_age.count()),
                           .takes_input = input_.takes_input(),
                           .watch = spec_.watch};
  if (tail_limit > 0) {
    OutputLog::Piece tail = log_->tail(std::min(tail_limit, kMaxReportedOutput), 0);
    entry.tail_from = tail.from;
    entry.tail = std::move(tail.bytes);
  }
  if (!finished_) return entry;
  entry.ended = ended_;
  entry.ended_ms = ended_ms_;
  entry.source = source_;
  entry.background_children = tree_empty_ ? 0 : children_;
  if (const auto* killed = std::get_if<Signaled>(&*status_)) {
    entry.signal = static_cast<std::uint32_t>(killed->signal);
  } else {
    entry.code = std::get<Exited>(*status_).code;
  }
  return entry;
}

}  // namespace talaria::runner
