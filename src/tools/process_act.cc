// The actions of the process tool that change something.
#include <array>
#include <utility>

#include "base/signal_name.h"
#include "base/text.h"
#include "tools/arguments.h"
#include "tools/command_result.h"
#include "tools/process_call.h"

namespace talaria::tool {
namespace {

constexpr std::string_view kNoInput =
    "Process stdin not available (non-local backend or stdin closed)";

json::object finished() { return describe_error("already_exited", "Process has already finished"); }

// Nothing: it is not a text. Guessing what to type may accept a prompt's default.
std::optional<std::string> data_of(const ProcessCall& call) {
  const json::value* data = given(call.arguments, "data");
  if (!data) return "";
  if (!data->is_string()) return std::nullopt;
  return std::string(data->get_string());
}

// Why no input can be given, as the answer says it; nothing if it can.
std::optional<json::object> no_input(const ProcessInfo& info) {
  if (!info.running) return finished();
  if (!info.takes_input) return describe_error("error", kNoInput);
  return std::nullopt;
}

json::object describe_write_error(const ProcessCall& call, const Error& error) {
  if (error.kind() != ErrorKind::interrupted) return describe_error(call, error);
  return describe_error("interrupted",
                        "given up: the process does not read its input; part of it may be there");
}

Task<json::object> type(ProcessCall call, std::string_view enter_in_pipe,
                        std::string_view enter_at_terminal) {
  const auto info = co_await call.process.find();
  if (!info) co_return describe_error(call, info.error());
  if (auto refusal = no_input(*info)) co_return std::move(*refusal);
  std::optional<std::string> data = data_of(call);
  if (!data) co_return describe_error("error", "data must be a string");
  const std::size_t chars = count_chars(sanitize_utf8(*data)) + enter_in_pipe.size();
  *data += info->terminal.empty() ? enter_in_pipe : enter_at_terminal;
  const auto taken = co_await call.process.write_judged(*info, std::move(*data), call.cancel);
  if (!taken) co_return describe_write_error(call, taken.error());
  if (!*taken) co_return describe_error("error", kNoInput);
  co_return json::object{{"status", "ok"}, {"bytes_written", chars}};
}

// A count from 1 on.
std::optional<std::uint32_t> count_of(const ProcessCall& call, std::string_view name) {
  const json::value* value = given(call.arguments, name);
  if (!value || !value->is_int64()) return std::nullopt;
  constexpr std::int64_t kMost = 1000;
  const std::int64_t count = value->get_int64();
  return count >= 1 && count <= kMost ? std::optional(static_cast<std::uint32_t>(count))
                                      : std::nullopt;
}

}  // namespace

// What ended and left children behind is ended with them; that it ended before stays true.
Task<json::object> kill_process(ProcessCall call) {
  const auto before = co_await call.process.find();
  if (!before) co_return describe_error(call, before.error());
  KilledProcess killed{.already_ended = true};
  if (before->running || before->background_children > 0) {
    auto done = co_await call.process.kill(std::string(kKillSource));
    if (!done) co_return describe_error(call, done.error());
    killed = std::move(*done);
  }
  const auto after = co_await call.process.find();
  const ProcessInfo& info = after ? *after : *before;
  json::object result;
  if (before->running && info.ended == ProcessEnd::killed) {
    result = {{"status", "killed"},
              {"session_id", call.process.id()},
              {"completion_reason", end_name(info.ended)},
              {"termination_source", info.source}};
  } else {
    result = {{"status", "already_exited"}, {"exit_code", info.exit_code}};
  }
  if (!killed.survivors.empty()) result["survivors"] = describe_leftovers(killed.survivors);
  co_return result;
}

Task<json::object> signal_process(ProcessCall call) {
  const json::value* given_signal = given(call.arguments, "signal");
  std::string name;
  if (given_signal && given_signal->is_string()) name = given_signal->get_string();
  if (given_signal && given_signal->is_int64()) name = std::to_string(given_signal->get_int64());
  const auto number = signal_number(name);
  if (!number) {
    co_return describe_error(
        "error", name.empty()
                     ? "signal is required: a name such as INT, HUP or USR1"
                     : "Unknown signal: " + name + ". Use a name such as INT, HUP or USR1");
  }
  const auto info = co_await call.process.find();
  if (!info) co_return describe_error(call, info.error());
  if (!info->running) co_return finished();
  const auto sent = co_await call.process.signal(*number);
  if (!sent && sent.error().kind() == ErrorKind::unavailable) co_return finished();
  if (!sent) co_return describe_error(call, sent.error());
  co_return json::object{
      {"status", "ok"}, {"session_id", call.process.id()}, {"signal", signal_name(*number)}};
}

Task<json::object> write_process(ProcessCall call) { return type(std::move(call), "", ""); }

// Enter is a carriage return on a keyboard; the terminal makes of it what its program wants.
Task<json::object> submit_process(ProcessCall call) { return type(std::move(call), "\n", "\r"); }

Task<json::object> close_process(ProcessCall call) {
  const auto info = co_await call.process.find();
  if (!info) co_return describe_error(call, info.error());
  if (auto refusal = no_input(*info)) co_return std::move(*refusal);
  const auto closed = co_await call.process.write("", true, call.cancel);
  if (!closed) co_return describe_write_error(call, closed.error());
  co_return json::object{{"status", "ok"},
                         {"message", info->terminal.empty() ? "stdin closed" : "EOF sent"}};
}

Task<json::object> resize_process(ProcessCall call) {
  const auto rows = count_of(call, "rows");
  const auto cols = count_of(call, "cols");
  if (!rows || !cols) {
    co_return describe_error("error", "resize needs rows and cols, each from 1 to 1000");
  }
  const auto info = co_await call.process.find();
  if (!info) co_return describe_error(call, info.error());
  if (!info->running) co_return finished();
  if (info->terminal.empty()) {
    co_return describe_error("error", "Process has no terminal: it was started without pty=true");
  }
  const auto done = co_await call.process.resize({.rows = *rows, .cols = *cols});
  if (!done) co_return describe_error(call, done.error());
  co_return json::object{{"status", "ok"}, {"rows", *rows}, {"cols", *cols}};
}

}  // namespace talaria::tool
