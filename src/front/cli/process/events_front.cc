#include <utility>

#include <boost/asio/steady_timer.hpp>

#include "api/asio_processes.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/wall_time.h"
#include "front/cli/fronts.h"
#include "front/cli/process/process_text.h"
#include "front/cli/report.h"
#include "front/cli/table.h"
#include "front/stop_signals.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

constexpr const char* kShownTime = "%Y-%m-%d %H:%M:%S";

std::string event_summary(const ProcessEvent& event) {
  switch (event.type) {
    case EventType::completion:
      return end_text(ProcessInfo{
                 .ended = event.ended, .exit_code = event.exit_code, .source = event.source}) +
             ": " + event.command;
    case EventType::watch_match:
      return "printed '" + event.pattern + "': " + std::string(trim(event.output));
    case EventType::watch_disabled:
    case EventType::watch_overflow_tripped:
    case EventType::watch_overflow_released:
    case EventType::target_lost:
      break;
  }
  return event.message;
}

constexpr std::size_t kTimeWidth = 19;
constexpr std::size_t kTypeWidth = 24;
constexpr std::size_t kIdWidth = 17;

// A line like those of the table, for events that arrive one by one.
std::string line_of(const ProcessEvent& event) {
  const auto column = [](std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text + "  ";
  };
  return column(std::to_string(event.id), 4) +
         column(local_time(event.time, kShownTime), kTimeWidth) +
         column(std::string(event_name(event.type)), kTypeWidth) +
         column(event.process.empty() ? "-" : one_line(event.process), kIdWidth) +
         one_line(event_summary(event)) + "\n";
}

std::string table_of(const std::vector<ProcessEvent>& events, const TextStyle& style) {
  Table table({"ID", "TIME", "EVENT", "PROCESS", "WHAT"});
  for (const ProcessEvent& event : events) {
    table.add({std::to_string(event.id), local_time(event.time, kShownTime),
               std::string(event_name(event.type)), event.process.empty() ? "-" : event.process,
               event_summary(event)});
  }
  return table.drawn(style);
}

class Events {
 public:
  Events(const AsioRuntime& runtime, EventsOptions options, Stdio stdio,
         const asio::any_io_executor& executor)
      : executor_(executor),
        processes_(runtime),
        options_(std::move(options)),
        stdio_(stdio),
        signals_(std::in_place, executor, [this](int signal) { stop(128 + signal); }) {}

  Task<int> run() {
    if (options_.consumer.empty()) {
      if (const auto code = co_await show_history()) co_return *code;
    }
    if (!options_.follow) co_return co_await show_pending();
    spawn(executor_, look_for_targets(cancel_, processes_));
    EventOptions request{
        .consumer = options_.consumer, .history = options_.consumer.empty(), .after = last_};
    const auto ended = co_await processes_.follow_events(
        std::move(request), [this](const ProcessEvent& event) { return print(event); }, cancel_);
    if (exit_code_) co_return *exit_code_;
    if (!ended) co_return report_error(ended.error(), options_.json, stdio_);
    co_return 0;
  }

 private:
  void stop(int exit_code) {
    if (!exit_code_) exit_code_ = exit_code;
    cancel_.cancel();
  }

  // The exit code; nothing: events are followed next.
  Task<std::optional<int>> show_history() {
    const std::size_t limit = options_.all || options_.since > 0 ? kMaxStoredEvents : kShownEvents;
    const auto events = co_await processes_.recent_events(options_.since, limit);
    if (!events) co_return report_error(events.error(), options_.json, stdio_);
    last_ = events->empty() ? options_.since : events->back().id;
    std::string text;
    if (options_.json) {
      for (const ProcessEvent& event : *events) text += to_line(processes_.describe(event)) + "\n";
    } else if (options_.follow) {
      for (const ProcessEvent& event : *events) text += line_of(event);
    } else if (events->empty()) {
      text = "No events.\n";
    } else {
      text = table_of(*events, style_for(stdio_.out));
    }
    const int code = report_text(text, stdio_);
    if (code != 0 || !options_.follow) co_return code;
    co_return std::nullopt;
  }

  // Each event is marked as delivered after it was written.
  Task<int> show_pending() {
    const auto events = co_await processes_.pending_events(options_.consumer, kMaxStoredEvents);
    if (!events) co_return report_error(events.error(), options_.json, stdio_);
    for (const ProcessEvent& event : *events) {
      if (!print(event)) co_return *exit_code_;
      const auto moved = co_await processes_.acknowledge(options_.consumer, event.id);
      if (!moved) co_return report_error(moved.error(), options_.json, stdio_);
    }
    co_return 0;
  }

  bool print(const ProcessEvent& event) {
    if (cancel_.cancelled()) return false;
    const std::string line =
        options_.json ? to_line(processes_.describe(event)) + "\n" : line_of(event);
    if (!write_output(stdio_, line)) {
      stop(kFailed);
      return false;
    }
    return true;
  }

  // Finds targets whose first process starts while we wait.
  static Task<void> look_for_targets(Cancel cancel, AsioProcesses processes) {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    while (!cancel.cancelled()) {
      timer.expires_after(kTargetLook);
      co_await timer.async_wait(as_values);
      if (!cancel.cancelled()) co_await processes.look_for_targets();
    }
  }

  asio::any_io_executor executor_;
  AsioProcesses processes_;
  EventsOptions options_;
  Stdio stdio_;
  const Cancel cancel_;
  std::optional<int> exit_code_;
  std::optional<StopSignals> signals_;
  std::uint64_t last_ = 0;  // ID of the last event shown
};

}  // namespace

Task<int> run_command(AsioRuntime& runtime, EventsOptions options, Stdio stdio) {
  Events events(runtime, std::move(options), stdio, co_await asio::this_coro::executor);
  co_return co_await events.run();
}

}  // namespace talaria::front::cli
