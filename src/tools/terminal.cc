#include "tools/terminal.h"

#include <chrono>
#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "host/child_env.h"
#include "tools/arguments.h"
#include "tools/command_result.h"
#include "tools/exit_code_meaning.h"
#include "tools/foreground_guidance.h"
#include "tools/run_command.h"
#include "tools/shown_output.h"
#include "tools/workdir.h"

namespace talaria {
namespace {

struct Request {
  std::string command;
  std::chrono::seconds timeout{0};
  std::optional<std::string> workdir;
};

// Why a request is not run, and in which shape that is told.
struct Refusal {
  std::string error;
  bool nothing_else = false;  // {"error"} alone
  std::string_view status = "error";
};

using std::unexpected;

// What bash could never be given, said before anything is started. Empty if `text` is fine.
std::string unusable(std::string_view text) {
  if (const std::size_t at = text.find('\0'); at != std::string_view::npos) {
    return "contains a NUL byte at offset " + std::to_string(at) +
           ", which no shell command can hold. Write it as an escape, for example with printf.";
  }
  if (!is_valid_utf8(text))
    return "is not valid Unicode text (an unpaired surrogate or stray byte)";
  return "";
}

std::expected<std::string, Refusal> parse_command(const json::object& arguments) {
  const json::value* command = arguments.if_contains("command");
  if (!command || !command->is_string()) {
    const std::string_view type = command ? python_type_name(*command) : "NoneType";
    return unexpected(Refusal{"Invalid command: expected string, got " + std::string(type)});
  }
  if (const std::string flaw = unusable(command->get_string()); !flaw.empty()) {
    return unexpected(Refusal{"Invalid command: it " + flaw});
  }
  return std::string(command->get_string());
}

std::expected<std::chrono::seconds, Refusal> parse_timeout(const json::object& arguments,
                                                           const Config& config) {
  const json::value* timeout = given(arguments, "timeout");
  if (!timeout || (timeout->is_number() && !is_truthy(*timeout))) return config.timeout;

  boost::system::error_code inexact;
  const auto seconds = timeout->is_uint64() ? std::numeric_limits<std::int64_t>::max()
                                            : timeout->to_number<std::int64_t>(inexact);
  if (inexact || seconds < 1) {
    return unexpected(Refusal{
        "Invalid timeout: expected a whole number of seconds, at least 1, got " +
        (timeout->is_int64() ? std::to_string(seconds) : std::string(python_type_name(*timeout)))});
  }
  if (seconds > config.max_foreground_timeout.count()) {
    return unexpected(Refusal{"Foreground timeout " + std::to_string(seconds) +
                                  "s exceeds the maximum of " +
                                  std::to_string(config.max_foreground_timeout.count()) +
                                  "s. Use background=true with notify_on_complete=true for "
                                  "long-running commands.",
                              true});
  }
  return std::chrono::seconds(seconds);
}

std::expected<std::optional<std::string>, Refusal> parse_workdir(const json::object& arguments) {
  const json::value* workdir = given(arguments, "workdir");
  if (!workdir) return std::nullopt;
  if (!workdir->is_string()) {
    return unexpected(Refusal{"Invalid workdir: expected string, got " +
                              std::string(python_type_name(*workdir))});
  }
  if (const std::string flaw = unusable(workdir->get_string()); !flaw.empty()) {
    return unexpected(Refusal{"Invalid workdir: it " + flaw});
  }
  if (workdir->get_string().empty()) return std::nullopt;
  if (std::string flaw = workdir_flaw(workdir->get_string()); !flaw.empty()) {
    return unexpected(Refusal{.error = std::move(flaw), .status = "blocked"});
  }
  return std::string(workdir->get_string());
}

std::expected<Request, Refusal> parse(const json::object& arguments, const Config& config) {
  Request request;

  auto command = parse_command(arguments);
  if (!command) return unexpected(command.error());
  request.command = std::move(*command);

  // Running it in the foreground instead would not be what was asked for.
  if (const json::value* background = given(arguments, "background");
      background && is_truthy(*background)) {
    return unexpected(Refusal{
        "background=true is not available in this version of Talaria. Run the command in the "
        "foreground, with a timeout."});
  }

  const auto timeout = parse_timeout(arguments, config);
  if (!timeout) return unexpected(timeout.error());
  request.timeout = *timeout;

  const json::value* force = given(arguments, "force");
  if (!force || !is_truthy(*force)) {
    const std::string_view advice = foreground_guidance(request.command);
    if (!advice.empty()) return unexpected(Refusal{std::string(advice)});
  }

  auto workdir = parse_workdir(arguments);
  if (!workdir) return unexpected(workdir.error());
  request.workdir = std::move(*workdir);
  return request;
}

CommandSpec to_spec(Request request, const ToolCall& call, const Config& config) {
  CommandSpec spec{.command = std::move(request.command),
                   .session = call.task,
                   .workdir = std::move(request.workdir),
                   .first_cwd = config.cwd,
                   .env = call.host.child_env(),
                   .umask = call.host.caller().umask,
                   .timeout = request.timeout};
  if (!call.session_key.empty()) set_variable(spec.env, "HERMES_SESSION_KEY", call.session_key);
  limit_output(spec, config.max_output_chars);
  return spec;
}

json::object describe(const Refusal& refusal, const CallFacts& facts) {
  if (refusal.nothing_else) return {{"error", refusal.error}};
  return describe_not_run(refusal.error, refusal.status, facts);
}

// Which of the three ways of not running it was.
json::object describe(const Error& error, const CallFacts& facts) {
  if (facts.transport) {
    return describe_not_run("Command execution failed: " + std::string(kind_name(error.kind())) +
                                ": " + error.message(),
                            "", facts);
  }
  if (error.kind() == ErrorKind::unavailable) {
    return describe_not_run(
        "Terminal tool disabled: environment creation failed (" + error.message() + ")", "disabled",
        facts);
  }
  return describe_not_run("Failed to execute command: " + error.message(), "error", facts);
}

Presentation presentation(const ToolCall& call, const std::string& command,
                          std::chrono::milliseconds timeout, const Config& config) {
  Presentation how{.timeout = timeout,
                   .max_output_chars = config.max_output_chars,
                   .for_model = true,
                   .redact = config.redact_secrets};
  const Hooks& hooks = call.host.hooks();
  if (hooks.transform_output.empty()) return how;
  how.transform = [&hooks, &call, &command](std::string_view output, int exit_code) {
    return transformed(hooks, {.command = command,
                               .output = output,
                               .exit_code = exit_code,
                               .task = call.task,
                               .target = call.host.target_of(call.task)});
  };
  return how;
}

void add_meaning(json::object& result, const std::string& command, const CommandOutcome& outcome) {
  if (outcome.ended != CommandEnd::exited) return;
  const std::string_view meaning = exit_code_meaning(command, exit_code_of(outcome.status));
  if (!meaning.empty()) result["exit_code_meaning"] = meaning;
}

}  // namespace

Task<json::object> terminal(ToolCall call) {
  // What is wrong with the request itself is said first, even if nothing could run it.
  const Config config = call.host.config_of(call.task).value_or(Config{});
  const CallFacts not_sent{.target = call.host.target_of(call.task)};
  auto request = parse(call.arguments, config);
  if (!request) co_return describe(request.error(), not_sent);

  CommandSpec spec = to_spec(std::move(*request), call, config);
  const std::string command = spec.command;
  const std::chrono::milliseconds timeout = spec.timeout;
  const CommandRun run = co_await run_command(call.host, call.task, std::move(spec), call.cancel);
  if (!run.outcome) co_return describe(run.outcome.error(), run.facts);
  json::object result =
      describe_outcome(*run.outcome, run.facts, presentation(call, command, timeout, config));
  add_meaning(result, command, *run.outcome);
  co_return result;
}

}  // namespace talaria
