#include "tools/execute_code.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <ranges>
#include <string>
#include <utility>

#include "base/ansi.h"
#include "base/text.h"
#include "environment/command.h"
#include "json/json_text.h"
#include "policy/redact.h"
#include "tools/arguments.h"
#include "tools/run_command.h"
#include "tools/script/own_tool_call.h"
#include "tools/script/script_command.h"
#include "tools/script/script_dispatch.h"
#include "tools/script/script_module.h"
#include "tools/tool_table.h"

namespace talaria::tool {
namespace {

// What a model sees of what a script printed: all of it, or its first 20,000 and its last 30,000
// bytes.
constexpr std::size_t kHead = 20'000;
constexpr std::size_t kTail = 30'000;

std::string readable(std::string_view bytes) { return strip_ansi(sanitize_utf8(bytes)); }

// A secret that is cut in two would not be known as one: each part is looked at with what is beside
// it.
std::string shown(std::string_view before, std::string_view text, std::string_view after,
                  bool mask) {
  std::string plain = readable(text);
  if (!mask) return plain;
  const std::string ahead = readable(before);
  const std::string behind = readable(after);
  return redact(policy::PartOfText{.before = ahead, .text = plain, .after = behind});
}

void limit_script_output(environment::CommandSpec& spec) {
  spec.head_limit = kHead + policy::kSecretBytes;
  spec.tail_limit = kTail + policy::kSecretBytes;
}

std::string script_output(const environment::CommandOutcome& outcome, bool mask) {
  const std::string& head = outcome.head;
  const std::string& tail = outcome.tail;
  if (outcome.total <= kHead + kTail) return shown("", head + tail, "", mask);

  // Known are the first bytes and the last, perhaps all; the two may touch.
  const bool whole = outcome.total == head.size() + tail.size();
  const std::string all = whole ? head + tail : std::string();
  const std::string_view first = whole ? std::string_view(all) : head;
  const std::string_view last = whole ? std::string_view(all) : tail;
  const std::string_view beginning = without_cut_end(first.substr(0, kHead));
  const std::string_view end = without_cut_start(last.substr(last.size() - kTail));
  const std::uint64_t omitted = outcome.total - beginning.size() - end.size();
  return shown("", beginning, first.substr(beginning.size(), policy::kSecretBytes), mask) +
         "\n\n... [OUTPUT TRUNCATED - " + with_commas(omitted) + " chars omitted out of " +
         with_commas(outcome.total) + " total] ...\n\n" +
         shown(last_bytes(last.substr(0, last.size() - end.size()), policy::kSecretBytes), end, "",
               mask);
}

constexpr std::size_t kErrorBytes = 10'000;

// Those a script may call, of those there are.
std::vector<std::string> script_tools(const std::optional<std::vector<std::string>>& enabled) {
  std::vector<std::string> tools;
  for (const std::string_view name : kScriptTools) {
    const bool wanted = !enabled || std::ranges::find(*enabled, name) != enabled->end();
    if (wanted && find_tool(name)) tools.emplace_back(name);
  }
  return tools;
}

// The same, without those that this configuration has no use for.
std::vector<std::string> offered_tools(const host::Config& config,
                                       const std::optional<std::vector<std::string>>& enabled) {
  std::vector<std::string> tools = script_tools(enabled);
  std::erase_if(tools,
                [&](const std::string& name) { return !is_offered(*find_tool(name), config); });
  return tools;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// What an example imports: what is used most, of what there is.
std::string imported(std::vector<std::string> names) {
  std::ranges::sort(names);
  std::string list;
  for (const char* name : {"web_search", "terminal"}) {
    if (contains(names, name)) list += std::string(name) + ", ";
  }
  if (list.empty()) {
    for (const std::string& name : names | std::views::take(2)) list += name + ", ";
  }
  return list + "...";
}

double in_seconds_of(std::chrono::microseconds duration) {
  constexpr double kHundredths = 10'000;
  return std::round(static_cast<double>(duration.count()) / kHundredths) / 100;
}

json::object failed(std::string error, std::size_t calls, std::chrono::microseconds duration) {
  return {{"status", "error"},
          {"error", std::move(error)},
          {"tool_calls_made", calls},
          {"duration_seconds", in_seconds_of(duration)}};
}

std::string shown_errors(const environment::CommandOutcome& outcome, bool mask) {
  const std::string text = strip_ansi(sanitize_utf8(without_cut_end(outcome.errors)));
  return mask ? policy::redact(text) : text;
}

int code_of(const ExitStatus& status) {
  if (const auto* killed = std::get_if<Signaled>(&status)) return -killed->signal;
  return std::get<Exited>(status).code;
}

// How it ended, as text; its output is in `result` already.
void add_ending(json::object& result, const environment::CommandOutcome& outcome,
                std::chrono::seconds timeout, bool mask) {
  json::string& output = result["output"].as_string();
  if (outcome.ended == CommandEnd::timed_out) {
    const std::string why =
        "Script timed out after " + std::to_string(timeout.count()) + "s and was killed.";
    output += (output.empty() ? "⏰ " : "\n\n⏰ ") + why;
    result["status"] = "timeout";
    result["error"] = why;
    return;
  }
  if (outcome.ended == CommandEnd::interrupted) {
    output += "\n[execution interrupted — user sent a new message]";
    result["status"] = "interrupted";
    return;
  }
  const int code = code_of(outcome.status);
  if (code == 0) return;
  const std::string errors = shown_errors(outcome, mask);
  result["status"] = "error";
  if (errors.empty()) {
    result["error"] = "Script exited with code " + std::to_string(code);
  } else {
    output += "\n--- stderr ---\n" + errors;
    result["error"] = errors;
  }
}

json::object describe(const CommandRun& run, const ScriptDispatch& dispatch,
                      const host::Config& config) {
  const environment::CommandOutcome& outcome = *run.outcome;
  if (lacks_python(outcome)) {
    const std::string& chosen = config.scripts.python;
    return failed(
        "Python 3 is not available in the " + run.facts.target +
            " terminal environment. Install Python to use execute_code with remote "
            "backends." +
            (chosen.empty() ? ""
                            : " code_execution.python is '" + chosen + "', which cannot be used."),
        0, std::chrono::microseconds(0));
  }
  json::object result{{"status", "success"},
                      {"output", script_output(outcome, config.redact_secrets)},
                      {"tool_calls_made", dispatch.made()},
                      {"duration_seconds", in_seconds_of(outcome.duration)}};
  add_ending(result, outcome, config.scripts.timeout, config.redact_secrets);
  std::vector<std::string> notices = outcome.notices;
  notices.insert(notices.end(), dispatch.pending().begin(), dispatch.pending().end());
  if (!notices.empty()) result["notices"] = json::array(notices.begin(), notices.end());
  return result;
}

}  // namespace

Task<json::object> execute_code(ToolCall call) {
  const json::value* code = given(call.arguments, "code");
  if (code && !code->is_string()) {
    co_return json::object{
        {"error", "code must be a string, got " + std::string(python_type_name(*code)) + "."}};
  }
  const std::string source = code ? std::string(code->get_string()) : "";
  if (trim(source).empty()) co_return json::object{{"error", "No code provided."}};

  const host::ConfigPtr config = call.config_or_defaults();
  std::vector<std::string> tools = script_tools(call.context.tools);
  // One of the caller's own may take the place of ours.
  for (const std::string& own : own_tool_names(call.context)) {
    if (!contains(tools, own)) tools.push_back(own);
  }
  const auto dispatch =
      std::make_shared<ScriptDispatch>(call, tools, config->scripts.max_tool_calls);
  environment::CommandSpec spec = command_spec(call, *config);
  spec.command = script_command({.strict = config->scripts.strict,
                                 .python = config->scripts.python,
                                 .time_zone = config->scripts.time_zone,
                                 .passed = call.services.settings.variables().passthrough_names()});
  spec.shown_command = "execute_code: " + std::string(first_bytes(source, 200));
  spec.timeout = config->scripts.timeout;
  spec.spill_quota = 0;
  limit_script_output(spec);
  spec.script =
      environment::ScriptSpec{.source = source,
                              .module = script_module(tools, call.context.own_tools.get()),
                              .error_limit = kErrorBytes,
                              .answer = [dispatch](std::string line, CancelToken cancel) {
                                return dispatch->answer(std::move(line), std::move(cancel));
                              }};
  const CommandRun run = co_await run_command(call, std::move(spec));
  if (run.outcome) co_return describe(run, *dispatch, *config);
  const bool refused = !run.decision.approved;
  json::object result = failed(run.outcome.error().message(), dispatch->made(),
                               refused ? std::chrono::microseconds(0) : run.facts.duration);
  if (refused) add_question(result, run.decision);
  co_return result;
}

std::string describe_execute_code(const host::Config& config,
                                  const std::optional<std::vector<std::string>>& tools) {
  std::string text =
      "Run a Python script that calls tools. Use it for 3 or more tool calls with logic between "
      "them: loops, branches, filtering large outputs. Do not use it for a single call, or when "
      "you need to read a full result. Only what the script prints is returned.\n\nIn "
      "`hermes_tools` (import them):\n";
  const std::vector<std::string> names = offered_tools(config, tools);
  for (const std::string& tool : names) {
    text += "  " + script_signature(tool) + " -> " + script_returns(tool) + "\n";
  }
  text += "  json_parse(text), shell_quote(s), retry(fn, max_attempts=3, delay=2)\n\n";
  const auto timeout = config.scripts.timeout.count();
  const std::string limit = timeout % 60 == 0 ? std::to_string(timeout / 60) + "-minute timeout"
                                              : std::to_string(timeout) + "-second timeout";
  text += "Limits: " + limit + ", 50KB of output, " +
          std::to_string(config.scripts.max_tool_calls) + " tool calls";
  if (contains(names, "terminal")) text += "; terminal() is foreground-only";
  text += ". ";
  text += config.scripts.strict
              ? "It runs in its own temp dir, with the default python3."
              : "It runs in the session's directory, with the python of its active venv, if any.";
  return text;
}

std::string execute_code_schema(const host::Config& config,
                                const std::optional<std::vector<std::string>>& tools) {
  const std::string about =
      "Python code. It imports what it calls, e.g. `from hermes_tools import " +
      imported(offered_tools(config, tools)) + "`, and prints what you want to see.";
  return to_line(
      json::object{{"type", "object"},
                   {"properties", {{"code", {{"type", "string"}, {"description", about}}}}},
                   {"required", json::array{"code"}}});
}

}  // namespace talaria::tool
