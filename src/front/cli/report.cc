#include "front/cli/report.h"

#include <algorithm>

#include "json/fields.h"
#include "json/json_text.h"

namespace talaria::front::cli {

int report_error(const Error& error, bool json, const Stdio& stdio) {
  if (json) {
    write_output(stdio, to_line(json::object{{"error", error.message()}}) + "\n");
  } else {
    complain(stdio, error.message());
  }
  return kFailed;
}

int report_line(const boost::json::object& object, const Stdio& stdio) {
  return report_text(to_line(object) + "\n", stdio);
}

int report_text(const std::string& text, const Stdio& stdio) {
  return write_output(stdio, text) ? 0 : kFailed;
}

std::string duration_text(std::chrono::milliseconds time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time).count();
  const auto two = [](auto large, const char* unit, auto small, const char* smaller) {
    return std::to_string(large) + unit + (small == 0 ? "" : " " + std::to_string(small) + smaller);
  };
  if (seconds < 60) return std::to_string(seconds) + "s";
  if (seconds < 3600) return two(seconds / 60, "m", seconds % 60, "s");
  if (seconds < 86400) return two(seconds / 3600, "h", seconds / 60 % 60, "m");
  return two(seconds / 86400, "d", seconds / 3600 % 24, "h");
}

std::chrono::milliseconds age_of(std::chrono::system_clock::time_point time) {
  const auto age =
      std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now() - time);
  return std::max(age, std::chrono::milliseconds(0));
}

std::string age_text(std::chrono::system_clock::time_point time) {
  return duration_text(age_of(time));
}

std::string survivor_text(const Leftover& survivor) {
  return "process " + std::to_string(survivor.pid) + " (" + survivor.name +
         ") could not be ended: " + survivor.reason;
}

NotStarted not_started(const boost::json::object& result) {
  const std::string status = text_field(result, "status");
  if (status == "pending_approval") {
    return {.text = "not started: the command needs approval (" +
                    text_field(result, "description") + "). Approve it with '" +
                    text_field(result, "approve_with") + "', then run it again.",
            .refused = true};
  }
  const boost::json::value* error = result.if_contains("error");
  if (!error || error->is_null()) return {};
  const std::string text = text_field(result, "error");
  return {.text = text.empty() ? "the command failed to start" : text,
          .refused = status == "blocked"};
}

}  // namespace talaria::front::cli
