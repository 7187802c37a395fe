#include "environment/link_conversion.h"

#include <csignal>
#include <utility>

namespace talaria::environment {
namespace {

ProcessEnd end_of(link::Ended ended) {
  switch (ended) {
    case link::Ended::killed:
    case link::Ended::timed_out:
      return ProcessEnd::killed;
    case link::Ended::lost:
      return ProcessEnd::lost;
    case link::Ended::exited:
    case link::Ended::signaled:
    case link::Ended::handed_over:
      break;
  }
  return ProcessEnd::exited;
}

// Whatever was needed to kill it, it is reported as the signal that asks to end.
int exit_code_of(link::Ended ended, std::int32_t code, std::uint32_t signal) {
  switch (end_of(ended)) {
    case ProcessEnd::killed:
      return -SIGTERM;
    case ProcessEnd::lost:
      return kLostCode;
    case ProcessEnd::exited:
      break;
  }
  return signal != 0 ? -static_cast<int>(signal) : code;
}

std::string source_of(link::Ended ended, std::string source) {
  return ended == link::Ended::lost && source.empty() ? std::string(kLostSource)
                                                      : std::move(source);
}

Lifespan lifespan_of(link::ProcessLifetime lifetime) {
  switch (lifetime) {
    case link::ProcessLifetime::foreground:
    case link::ProcessLifetime::call:
      return Lifespan::call;
    case link::ProcessLifetime::keep:
      return Lifespan::keep;
    case link::ProcessLifetime::session:
      break;
  }
  return Lifespan::session;
}

EventType type_of(link::RunnerEvent::Kind kind) {
  switch (kind) {
    case link::RunnerEvent::Kind::watch_match:
      return EventType::watch_match;
    case link::RunnerEvent::Kind::watch_disabled:
      return EventType::watch_disabled;
    case link::RunnerEvent::Kind::watch_muted:
      return EventType::watch_overflow_tripped;
    case link::RunnerEvent::Kind::watch_unmuted:
      return EventType::watch_overflow_released;
    case link::RunnerEvent::Kind::exit:
      break;
  }
  return EventType::completion;
}

std::string message_of(link::RunnerEvent& event) {
  if (event.dropped == 0) return std::move(event.message);
  const std::string lost =
      event.dropped == 1 ? "1 event before this one was lost"
                         : std::to_string(event.dropped) + " events before this one were lost";
  return lost + ": they were not fetched in time, and the runner had no room for more." +
         (event.message.empty() ? "" : " ") + event.message;
}

std::chrono::system_clock::time_point time_of(std::uint64_t ms_since_1970) {
  return std::chrono::system_clock::time_point(
      std::chrono::milliseconds(static_cast<std::int64_t>(ms_since_1970)));
}

}  // namespace

link::ProcessLifetime to_link(Lifespan lifespan) {
  switch (lifespan) {
    case Lifespan::call:
      return link::ProcessLifetime::call;
    case Lifespan::keep:
      return link::ProcessLifetime::keep;
    case Lifespan::session:
      break;
  }
  return link::ProcessLifetime::session;
}

link::TerminalSize to_link(const ScreenSize& size) {
  return {.rows = size.rows, .cols = size.cols};
}

link::ProcessLimits to_link(const ProcessCaps& caps) {
  return {.running = caps.running,
          .terminals = caps.terminals,
          .finished = caps.finished,
          .retention_ms = static_cast<std::uint64_t>(caps.retention.count())};
}

ProcessInfo from_link(link::ProcessEntry entry) {
  ProcessInfo info{.id = std::move(entry.process),
                   .task = std::move(entry.session),
                   .session_key = std::move(entry.owner),
                   .command = std::move(entry.command),
                   .cwd = std::move(entry.cwd),
                   .pid = entry.pid,
                   .started = time_of(entry.started_ms),
                   .finished = time_of(entry.ended_ms),
                   .running = entry.running,
                   .ended = end_of(entry.ended),
                   .exit_code = exit_code_of(entry.ended, entry.code, entry.signal),
                   .source = source_of(entry.ended, std::move(entry.source)),
                   .lifespan = lifespan_of(entry.lifetime),
                   .max_age = std::chrono::milliseconds(entry.max_age_ms),
                   .takes_input = entry.takes_input,
                   .waiting_for_input = entry.waiting_for_input,
                   .notify = entry.notify,
                   .watch_patterns = std::move(entry.watch),
                   .output_bytes = entry.total,
                   .tail = std::move(entry.tail),
                   .tail_from = entry.tail_from,
                   .background_children = entry.background_children,
                   .unfinished_input = std::move(entry.unfinished_input)};
  for (const link::SizeChange& change : entry.sizes) {
    info.terminal.push_back(
        {.from = change.cursor, .size = {.rows = change.size.rows, .cols = change.size.cols}});
  }
  return info;
}

ProcessInfo from_link(link::ExitReport report) {
  return {.id = std::move(report.process),
          .cwd = std::move(report.cwd),
          .ended = end_of(report.ended),
          .exit_code = exit_code_of(report.ended, report.code, report.signal),
          .source = source_of(report.ended, std::move(report.source)),
          .output_bytes = report.total,
          .tail = std::move(report.tail),
          .tail_from = report.tail_from,
          .background_children = report.background_children,
          .notices = std::move(report.notices)};
}

NumberedEvent from_link(link::RunnerEvent event, const std::string& target) {
  return {.number = event.number,
          .event = {.type = type_of(event.kind),
                    .process = std::move(event.process),
                    .task = std::move(event.session),
                    .session_key = std::move(event.owner),
                    .target = target,
                    .command = std::move(event.command),
                    .time = time_of(event.time_ms),
                    .announced = event.announced,
                    .ended = end_of(event.ended),
                    .exit_code = exit_code_of(event.ended, event.code, event.signal),
                    .source = source_of(event.ended, std::move(event.source)),
                    .output = std::move(event.output),
                    .pattern = std::move(event.pattern),
                    .suppressed = event.suppressed,
                    .message = message_of(event)}};
}

std::vector<Leftover> from_link(std::vector<link::Survivor> survivors) {
  std::vector<Leftover> leftovers;
  for (link::Survivor& survivor : survivors) {
    leftovers.push_back({.pid = static_cast<int>(survivor.pid),
                         .name = std::move(survivor.name),
                         .reason = std::move(survivor.reason)});
  }
  return leftovers;
}

}  // namespace talaria::environment
