#include "tools/event_view.h"

#include <chrono>
#include <csignal>

#include "base/ansi.h"
#include "base/text.h"
#include "policy/redact.h"

namespace talaria::tool {
namespace {

constexpr std::size_t kShownOutput = 2000;

std::string masked(const std::string& text, bool mask) {
  return mask ? policy::redact(text) : text;
}

std::string shown_output(const ProcessEvent& event, bool mask) {
  const std::string text = masked(strip_ansi(sanitize_utf8(without_cut_start(event.output))), mask);
  return std::string(last_chars(text, kShownOutput));
}

std::string shown_command(const ProcessEvent& event, bool mask) {
  return event.command.empty() ? "unknown" : masked(sanitize_utf8(event.command), mask);
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

std::string completion_text(const ProcessEvent& event, bool mask) {
  constexpr int kShellTerm = 128 + SIGTERM;
  const bool term = event.exit_code == -SIGTERM || event.exit_code == kShellTerm;
  return "[IMPORTANT: Background process " + id_of(event) + " " + how_it_ended(event) +
         " (exit code " + std::to_string(event.exit_code) + (term ? ", SIGTERM" : "") +
         ").\nCommand: " + shown_command(event, mask) + "\nOutput:\n" + shown_output(event, mask) +
         "]";
}

std::string match_text(const ProcessEvent& event, bool mask) {
  std::string text = "[IMPORTANT: Background process " + id_of(event) +
                     " matched watch pattern \"" + sanitize_utf8(event.pattern) +
                     "\".\nCommand: " + shown_command(event, mask) + "\nMatched output:\n" +
                     shown_output(event, mask);
  if (event.suppressed > 0) {
    text += "\n(" + std::to_string(event.suppressed) +
            " earlier matches were suppressed by rate limit)";
  }
  return text + "]";
}

}  // namespace

std::string notification(const ProcessEvent& event, bool mask) {
  switch (event.type) {
    case EventType::completion:
      return completion_text(event, mask);
    case EventType::watch_match:
      return match_text(event, mask);
    case EventType::watch_disabled:
    case EventType::watch_overflow_tripped:
    case EventType::watch_overflow_released:
    case EventType::target_lost:
      break;
  }
  return "[IMPORTANT: " + masked(sanitize_utf8(event.message), mask) + "]";
}

json::object view_of(const ProcessEvent& event, bool mask) {
  json::object view{{"id", event.id},
                    {"type", event_name(event.type)},
                    {"session_id", sanitize_utf8(event.process)},
                    {"session_key", sanitize_utf8(event.session_key)},
                    {"command", masked(sanitize_utf8(event.command), mask)}};
  switch (event.type) {
    case EventType::completion:
      view["exit_code"] = event.exit_code;
      view["completion_reason"] = end_name(event.ended);
      view["termination_source"] = sanitize_utf8(event.source);
      view["output"] = shown_output(event, mask);
      break;
    case EventType::watch_match:
      view["pattern"] = sanitize_utf8(event.pattern);
      view["output"] = shown_output(event, mask);
      view["suppressed"] = event.suppressed;
      break;
    case EventType::watch_disabled:
    case EventType::watch_overflow_released:
      view["suppressed"] = event.suppressed;
      view["message"] = masked(sanitize_utf8(event.message), mask);
      break;
    case EventType::watch_overflow_tripped:
    case EventType::target_lost:
      view["message"] = masked(sanitize_utf8(event.message), mask);
      break;
  }
  // Of any type: that events before it were lost.
  if (!event.message.empty()) view["message"] = masked(sanitize_utf8(event.message), mask);
  view["task"] = sanitize_utf8(event.task);
  view["target"] = sanitize_utf8(event.target);
  view["time"] =
      std::chrono::duration_cast<std::chrono::seconds>(event.time.time_since_epoch()).count();
  view["text"] = notification(event, mask);
  return view;
}

}  // namespace talaria::tool
