#include "runner/run_report.h"

#include <algorithm>
#include <utility>

#include "runner/limits.h"

namespace talaria::runner {
namespace {

std::uint64_t milliseconds_since(std::chrono::steady_clock::time_point then) {
  const auto passed = std::chrono::steady_clock::now() - then;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(passed).count());
}

link::ExitReport report_so_far(const Run& run, std::uint64_t head_limit, std::uint64_t tail_limit) {
  const OutputLog& log = run.output();
  link::ExitReport report{.process = run.spec().process,
                          .total = log.total(),
                          .duration_us = static_cast<std::uint64_t>(run.record().duration.count()),
                          .cwd = run.record().cwd,
                          .spill_path = log.spill_path(),
                          .spill_from = log.spill_from(),
                          .spill_to = log.spilled(),
                          .output_held = !run.output_closed() && !run.tree().empty(),
                          .notices = run.record().notices};
  report.head = log.head(std::min(head_limit, kMaxReportedOutput));
  OutputLog::Piece tail = log.tail(std::min(tail_limit, kMaxReportedOutput), report.head.size());
  report.tail_from = tail.from;
  report.tail = std::move(tail.bytes);
  return report;
}

// The fields that a report and an entry have in common.
template <class Message>
void add_exit(Message& message, const Run& run) {
  const Run::Exit& exit = *run.exit();
  message.ended = exit.how;
  message.source = exit.source;
  message.background_children = run.tree().empty() ? 0 : exit.children;
  if (const auto* killed = std::get_if<Signaled>(&exit.status)) {
    message.signal = static_cast<std::uint32_t>(killed->signal);
  } else {
    message.code = std::get<Exited>(exit.status).code;
  }
}

std::size_t size_of(const link::ProcessEntry& entry) {
  std::size_t size = sizeof entry + entry.process.size() + entry.start_id.size() +
                     entry.session.size() + entry.command.size() + entry.cwd.size() +
                     entry.source.size() + entry.owner.size() +
                     entry.sizes.size() * sizeof(link::SizeChange);
  for (const std::string& pattern : entry.watch) size += sizeof(std::string) + pattern.size();
  return size;
}

// A caller that asks for this process alone gets the rest.
void shorten(link::ProcessEntry& entry) {
  entry.command.resize(std::min(entry.command.size(), kShownCommand));
  entry.cwd.clear();
  entry.watch.clear();
  if (entry.sizes.size() > 1) entry.sizes.erase(entry.sizes.begin(), entry.sizes.end() - 1);
}

}  // namespace

link::ExitReport exit_report(const Run& run, std::uint64_t head_limit, std::uint64_t tail_limit) {
  link::ExitReport report = report_so_far(run, head_limit, tail_limit);
  add_exit(report, run);
  report.oom_killed = run.exit()->oom_killed;
  report.survivors = run.tree().survivors();
  report.sudo_rejected = run.spec().sudo && run.spec().sudo->rejected();
  if (const auto& script = run.spec().script) {
    report.errors = script->errors();
    report.errors_total = script->errors_total();
  }
  return report;
}

link::ExitReport handed_over_report(const Run& run, std::uint64_t head_limit,
                                    std::uint64_t tail_limit) {
  link::ExitReport report = report_so_far(run, head_limit, tail_limit);
  report.ended = link::Ended::handed_over;
  return report;
}

link::ProcessEntry process_entry(const Run& run, std::uint64_t tail_limit) {
  const RunSpec& spec = run.spec();
  link::ProcessEntry entry{.process = spec.process,
                           .start_id = spec.process,
                           .session = spec.session,
                           .command = spec.shown().substr(0, kStoredCommand),
                           .pid = static_cast<std::uint64_t>(std::max(run.pid(), 0)),
                           .running = !run.finished(),
                           .age_ms = milliseconds_since(run.record().started),
                           .total = run.output().total(),
                           .input_next = run.input().next(""),
                           .lifetime = spec.lifetime,
                           .pty = spec.pty || run.terminal() != nullptr,
                           .cwd = run.record().started_in,
                           .started_ms = spec.started_ms,
                           .notify = spec.notify,
                           .owner = spec.owner,
                           .max_age_ms = static_cast<std::uint64_t>(spec.max_age.count()),
                           .takes_input = run.input().takes_input(),
                           .watch = spec.watch};
  if (run.terminal() != nullptr) entry.sizes = run.terminal()->sizes();
  if (tail_limit > 0) {
    OutputLog::Piece tail = run.output().tail(std::min(tail_limit, kMaxReportedOutput), 0);
    entry.tail_from = tail.from;
    entry.tail = std::move(tail.bytes);
  }
  if (!run.finished()) return entry;
  add_exit(entry, run);
  entry.ended_ms = run.exit()->time_ms;
  return entry;
}

link::ProcessEntry ListRoom::entry(const Run& run, std::uint64_t tail_limit) {
  link::ProcessEntry entry = process_entry(run, 0);
  if (size_of(entry) > left_) {
    shorten(entry);
    left_ = 0;
    return entry;
  }
  left_ -= size_of(entry);
  OutputLog::Piece tail =
      run.output().tail(std::min<std::uint64_t>({tail_limit, left_, kMaxReportedOutput}), 0);
  left_ -= tail.bytes.size();
  if (tail_limit > 0) entry.tail_from = tail.from;
  entry.tail = std::move(tail.bytes);
  return entry;
}

}  // namespace talaria::runner
