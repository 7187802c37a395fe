#include "tools/event_view.h"

#include <chrono>
#include <csignal>

#include "base/ansi.h"
#include "base/text.h"
#include "policy/redact.h"

namespace talaria {
namespace {

constexpr std::size_t kShownOutput = 2000;

std::string shown_output(const ProcessEvent& event) {
  const std::string text = redact(strip_ansi(sanitize_utf8(without_cut_start(event.output))));
  return std::string(last_chars(text, kShownOutput));
}

std::string shown_command(const ProcessEvent& event) {
  return event.command.empty() ? "unknown" : sanitize_utf8(event.command);
}

std::string id_of(const ProcessEvent& event) {
  return event.process.empty() ? "unknown" : sanitize_utf8(event.process);
}

std::string how_it_ended(const ProcessEvent& event) {
  switch (event.ended) {
    case ProcessEnd::killed:
      return "terminated by " + (event.source.empty() ? "Hermes" : sanitize_utf8(event.source));
    case ProcessEnd::lost:
      return "marked lost because the process backend disappeared";
    case ProcessEnd::exited:
      break;
  }
  return event.exit_code == 0 ? "completed normally" : "exited";
}

std::string completion_text(const ProcessEvent& event) {
  constexpr int kShellTerm = 128 + SIGTERM;
  const bool term = event.exit_code == -SIGTERM || event.exit_code == kShellTerm;
  return "[IMPORTANT: Background process " + id_of(event) + " " + how_it_ended(event) +
         " (exit code " + std::to_string(event.exit_code) + (term ? ", SIGTERM" : "") +
         ").\nCommand: " + shown_command(event) + "\nOutput:\n" + shown_output(event) + "]";
}

std::string match_text(const ProcessEvent& event) {
  std::string text = "[IMPORTANT: Background process " + id_of(event) +
                     " matched watch pattern \"" + sanitize_utf8(event.pattern) +
                     "\".\nCommand: " + shown_command(event) + "\nMatched output:\n" +
                     shown_output(event);
  if (event.suppressed > 0) {
    text += "\n(" + std::to_string(event.suppressed) +
            " earlier matches were suppressed by rate limit)";
  }
  return text + "]";
}

}  // namespace

std::string notification(const ProcessEvent& event) {
  switch (event.type) {
    case EventType::completion:
      return completion_text(event);
    case EventType::watch_match:
      return match_text(event);
    case EventType::watch_disabled:
    case EventType::watch_overflow_tripped:
    case EventType::watch_overflow_released:
    case EventType::target_lost:
      break;
  }
  return "[IMPORTANT: " + redact(sanitize_utf8(event.message)) + "]";
}

json::object view_of(const ProcessEvent& event) {
  json::object view{{"id", event.id},
                    {"type", event_name(event.type)},
                    {"session_id", sanitize_utf8(event.process)},
                    {"session_key", sanitize_utf8(event.session_key)},
                    {"command", sanitize_utf8(event.command)}};
  switch (event.type) {
    case EventType::completion:
      view["exit_code"] = event.exit_code;
      view["completion_reason"] = end_name(event.ended);
      view["termination_source"] = sanitize_utf8(event.source);
      view["output"] = shown_output(event);
      break;
    case EventType::watch_match:
      view["pattern"] = sanitize_utf8(event.pattern);
      view["output"] = shown_output(event);
      view["suppressed"] = event.suppressed;
      break;
    case EventType::watch_disabled:
    case EventType::watch_overflow_released:
      view["suppressed"] = event.suppressed;
      view["message"] = sanitize_utf8(event.message);
      break;
    case EventType::watch_overflow_tripped:
    case EventType::target_lost:
      view["message"] = sanitize_utf8(event.message);
      break;
  }
  view["task"] = sanitize_utf8(event.task);
  view["target"] = sanitize_utf8(event.target);
  view["time"] =
      std::chrono::duration_cast<std::chrono::seconds>(event.time.time_since_epoch()).count();
  view["text"] = notification(event);
  return view;
}

}  // namespace talaria
