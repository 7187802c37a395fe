#include "tools/background.h"

#include <cctype>
#include <utility>

#include <boost/json/array.hpp>

#include "base/text.h"
#include "tools/command_result.h"
#include "tools/run_command.h"

namespace talaria::tool {
namespace {

constexpr std::string_view kStarted = "Background process started";
constexpr std::string_view kPtyNote =
    "PTY disabled for this command because it expects piped stdin/EOF (gh auth login --with-token "
    "reads the token from stdin). Pass the token in a pipe or a file within the command.";
constexpr std::string_view kWatchIgnored =
    "watch_patterns ignored because notify_on_complete=True; these two flags produce duplicate "
    "notifications when combined";
constexpr std::string_view kSilent =
    "background=true without notify_on_complete=true means this process runs SILENTLY: no "
    "notification is sent when it ends. That suits servers and watchers. For work that ends by "
    "itself (tests, builds, downloads) start it with notify_on_complete=true, or ask with process "
    "poll or wait.";
constexpr std::string_view kPoller =
    "This looks like a hand-made loop that asks for CI results. See the green-ci-policy: wait for "
    "the checks with one command that ends with them (gh pr checks --watch) and "
    "notify_on_complete=true.";

// In lower case, with single spaces.
std::string plain(std::string_view command) {
  std::string text;
  for (const char c : lower_case(trim(command))) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank) text += c;
    if (blank && !text.ends_with(' ')) text += ' ';
  }
  return text;
}

// A program that refuses to read its input from a terminal.
bool wants_piped_input(std::string_view command) {
  const std::string text = plain(command);
  return text.starts_with("gh auth login") && text.contains("--with-token");
}

bool polls_ci(std::string_view command) {
  if (command.contains("statusCheckRollup")) return true;
  const std::string text = plain(command);
  const bool asks = text.contains("gh pr view") || text.contains("gh pr checks");
  return asks && (text.contains("| jq") || text.contains("|jq"));
}

void add_hint(json::object& result, const BackgroundRequest& request, std::string_view command) {
  std::string hint;
  if (!request.notify && request.watch_patterns.empty()) hint = kSilent;
  if (polls_ci(command)) hint += (hint.empty() ? "" : " ") + std::string(kPoller);
  if (!hint.empty()) result["hint"] = hint;
}

void add_flags(json::object& result, const BackgroundRequest& request) {
  if (request.notify) result["notify_on_complete"] = true;
  if (!request.watch_patterns.empty()) {
    json::array patterns;
    for (const std::string& pattern : request.watch_patterns) patterns.emplace_back(pattern);
    result["watch_patterns"] = std::move(patterns);
  }
  if (request.watch_ignored) result["watch_patterns_ignored"] = kWatchIgnored;
  if (request.short_check) {
    result["check_interval_note"] =
        "Requested " + std::to_string(*request.short_check) + "s raised to minimum 30s";
  }
}

}  // namespace

environment::ProcessSpec wanted_process(const ToolCall& call, const BackgroundRequest& request,
                                        const host::Config& config) {
  const host::ProcessConfig& bounds = config.processes;
  const bool keeps = request.lifespan == Lifespan::keep;
  environment::ProcessSpec spec{
      .takes_input = request.takes_input,
      .lifespan = request.lifespan,
      .max_age = request.max_age.value_or(keeps ? std::chrono::seconds(0) : bounds.max_age),
      .notify = request.notify,
      .watch_patterns = request.watch_patterns,
      .session_key = call.context.session_key,
      .caps = {.running = bounds.max_running,
               .terminals = bounds.max_terminals,
               .finished = bounds.max_finished,
               .retention = bounds.retention}};
  if (request.terminal) spec.terminal = ScreenSize{};
  return spec;
}

Task<json::object> start_in_background(const ToolCall& call, environment::CommandSpec spec,
                                       BackgroundRequest request, host::ConfigPtr config) {
  const bool refused_terminal = request.terminal && wants_piped_input(spec.command);
  if (refused_terminal) request.terminal = false;
  const std::string command = spec.command;
  environment::ProcessSpec how = wanted_process(call, request, *config);
  const ProcessRun run = co_await run_process(call, std::move(spec), std::move(how));
  if (!run.outcome && !run.decision.approved) {
    co_return describe_refused(run.decision, command, run.facts);
  }
  if (!run.outcome) {
    co_return describe_not_run(
        "Failed to start background process: " + run.outcome.error().message(), "", run.facts);
  }
  json::object result = describe_started(kStarted, run.facts);
  result["session_id"] = run.outcome->id;
  result["pid"] = run.outcome->pid;
  if (refused_terminal) result["pty_note"] = kPtyNote;
  add_hint(result, request, command);
  add_flags(result, request);
  add_approval(result, run.decision);
  add_notices(result, run.outcome->notices);
  co_return result;
}

}  // namespace talaria::tool
