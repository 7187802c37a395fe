// The JSON result of a command, the same for the terminal tool and `talaria exec --json`:
//   {"output","exit_code","error","target","transport","duration_ms", ...}
// A command that fails is not an error: `error` stays null and `exit_code` says it. Further fields
// are there only when there is something to say:
//   output_total_bytes, full_output_path   the output was cut
//   survivors, background_children         processes that are still there
//   notices                                what the reader should know
//   approval                               somebody was asked, and approved it
//   status, session_id                     its timeout passed, and it continues as that process;
//                                          exit_code is null then
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "environment/environment.h"
#include "policy/approval/decision.h"

namespace talaria::tool {

namespace json = boost::json;

inline constexpr int kTimedOutCode = 124;
inline constexpr int kInterruptedCode = 130;
inline constexpr int kNotRunCode = -1;

// The line behind the output of a command that was ended at its timeout.
std::string timeout_note(std::chrono::milliseconds timeout);

// Where a call went and how long it took.
struct CallFacts {
  std::string target;
  std::optional<std::string> transport;  // absent if the call never reached a target
  std::chrono::microseconds duration{0};
};

struct Presentation {
  std::chrono::milliseconds timeout{0};  // what the command was given
  std::size_t max_output_chars = 0;
  bool for_model = false;  // without escape sequences
  bool redact = false;     // without secrets
  // What to show instead of the output; nothing: the output.
  std::function<std::optional<std::string>(std::string_view output, int exit_code)> transform;
};

json::object describe_outcome(const environment::CommandOutcome& outcome, const CallFacts& facts,
                              const Presentation& presentation);

// One that continues in the background: `text` in place of its output.
json::object describe_started(std::string_view text, const CallFacts& facts);

// What the reader should know besides, if there is anything.
void add_notices(json::object& result, const std::vector<std::string>& notices);

json::array describe_leftovers(const std::vector<Leftover>& survivors);

// A command that was not run: `status` is "error", "disabled" or "blocked"; empty leaves it out.
json::object describe_not_run(std::string_view error, std::string_view status,
                              const CallFacts& facts);

// A command policy did not let run: `status` is "blocked", or "pending_approval" with what somebody
// is asked about.
json::object describe_refused(const policy::Decision& decision, const std::string& command,
                              const CallFacts& facts);

// Why it was not run; if somebody is asked about it, how to approve it.
std::string refusal_text(const policy::Decision& decision);
// The same for the caller of a command, who is not a model.
std::string not_started_text(const policy::Decision& decision);

// What somebody is asked about it, if nobody waits for the answer, and how to approve it.
void add_question(json::object& result, const policy::Decision& decision);

// `approval`, if somebody was asked and it ran.
void add_approval(json::object& result, const policy::Decision& decision);

// The exit code, -N for signal N, 124, 130.
int result_code(const environment::CommandOutcome& outcome);

}  // namespace talaria::tool
