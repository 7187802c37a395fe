// The actions of the process tool that look: at all processes, at one, at what it printed.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/json/array.hpp>

#include "base/event.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/wall_time.h"
#include "tools/arguments.h"
#include "tools/command_result.h"
#include "tools/process_call.h"
#include "tools/process_text.h"

namespace talaria::tool {
namespace {

using std::chrono::seconds;

constexpr std::size_t kListPreview = 200;
constexpr std::size_t kListCommand = 200;
constexpr std::size_t kPollPreview = 1000;
constexpr std::size_t kWaitExited = 2000;
constexpr std::size_t kWaitOther = 1000;
constexpr std::int64_t kLogLines = 200;
constexpr auto kProgressPause = seconds(1);

std::int64_t uptime(const ProcessInfo& info) {
  const auto until = info.running ? std::chrono::system_clock::now() : info.finished;
  return std::max<std::int64_t>(std::chrono::duration_cast<seconds>(until - info.started).count(),
                                0);
}

std::string_view status_of(const ProcessInfo& info) { return info.running ? "running" : "exited"; }

std::string safe_command(const ProcessInfo& info, std::size_t chars) {
  const std::string command = sanitize_utf8(info.command);
  return std::string(first_chars(command, chars));
}

void add_end(json::object& result, const ProcessInfo& info) {
  result["exit_code"] = info.exit_code;
  result["completion_reason"] = end_name(info.ended);
  result["termination_source"] = sanitize_utf8(info.source);
}

// What is said beyond the specification, and only where there is something to say.
void add_more(json::object& result, const ProcessInfo& info) {
  if (info.running && info.waiting_for_input) result["waiting_for_input"] = true;
  if (!info.terminal.empty()) result["pty"] = true;
  if (!info.running && info.background_children > 0) {
    result["background_children"] = info.background_children;
  }
}

json::object describe_in_list(const ProcessCall& call, const ProcessInfo& info) {
  json::object entry{
      {"session_id", info.id},
      {"command", safe_command(info, kListCommand)},
      {"cwd", sanitize_utf8(info.cwd)},
      {"pid", info.pid},
      {"started_at", local_time(info.started)},
      {"uptime_seconds", uptime(info)},
      {"status", status_of(info)},
      {"output_preview", shown_tail(info, kListPreview, call.config->redact_secrets)}};
  if (!info.running) entry["exit_code"] = info.exit_code;
  add_more(entry, info);
  return entry;
}

// `absent` if it is not given; nothing if it is not a whole number. Models send texts for numbers.
std::optional<std::int64_t> integer(const ProcessCall& call, std::string_view name,
                                    std::int64_t absent) {
  const json::value* value = given(call.arguments, name);
  if (!value) return absent;
  const double* fraction = value->if_double();
  if (fraction && *fraction != std::trunc(*fraction)) return std::nullopt;
  return whole_number(*value);
}

json::object bad_number(std::string_view name) {
  return describe_error("error", std::string(name) + " must be a whole number, not negative");
}

// How long a wait may take, and what is said about that in every answer.
struct WaitLimit {
  seconds limit{0};
  std::string note;  // not empty: it was asked for more
};

WaitLimit wait_limit(seconds asked, seconds most) {
  if (asked.count() == 0) return {.limit = most};
  if (asked <= most) return {.limit = asked};
  return {.limit = most,
          .note = "Requested wait of " + std::to_string(asked.count()) +
                  "s was clamped to configured limit of " + std::to_string(most.count()) + "s"};
}

// While a call waits for it.
Task<void> show_progress(ProcessCall call, std::shared_ptr<AsyncEvent> over) {
  std::string shown;
  while (!co_await over->wait_for(kProgressPause)) {
    const auto info = co_await call.process.find(bytes_for_chars(kProgressChars));
    if (over->is_set() || !info) continue;
    std::string text = shown_tail(*info, kProgressChars, call.config->redact_secrets);
    if (text == shown) continue;
    shown = std::move(text);
    call.on_progress(shown);
  }
}

}  // namespace

Task<json::object> list_processes(ProcessCall call) {
  environment::Processes& processes = call.process.environment().processes();
  auto all = co_await processes.list({.tail_limit = kListPreview * kMaxUtf8Bytes * 2});
  if (!all) co_return describe_error(call, all.error());
  std::ranges::sort(*all, [](const ProcessInfo& a, const ProcessInfo& b) {
    if (a.running != b.running) return a.running;
    return a.started < b.started;
  });
  json::array entries;
  for (const ProcessInfo& info : *all) entries.push_back(describe_in_list(call, info));
  co_return json::object{{"processes", std::move(entries)}};
}

Task<json::object> poll_process(ProcessCall call) {
  const auto info = co_await call.process.find(bytes_for_chars(kPollPreview));
  if (!info) co_return describe_error(call, info.error());
  json::object result{
      {"session_id", info->id},
      {"command", sanitize_utf8(info->command)},
      {"status", status_of(*info)},
      {"pid", info->pid},
      {"uptime_seconds", uptime(*info)},
      {"output_preview", shown_tail(*info, kPollPreview, call.config->redact_secrets)}};
  if (!info->running) {
    add_end(result, *info);
    co_await call.process.end_reported();
  }
  add_more(result, *info);
  co_return result;
}

Task<json::object> log_process(ProcessCall call) {
  const auto offset = integer(call, "offset", 0);
  const auto limit = integer(call, "limit", kLogLines);
  if (!offset || *offset < 0) co_return bad_number("offset");
  if (!limit || *limit < 0) co_return bad_number("limit");
  const std::size_t chars = call.config->processes.output_chars;
  const auto info = co_await call.process.find(chars * kMaxUtf8Bytes);
  if (!info) co_return describe_error(call, info.error());
  const std::string text = shown_tail(*info, chars, call.config->redact_secrets);
  const auto lines = unicode_lines(text);
  const auto page =
      page_of(lines, static_cast<std::size_t>(*offset), static_cast<std::size_t>(*limit));
  std::string output;
  for (std::size_t i = 0; i < page.size(); ++i) {
    if (i > 0) output += '\n';
    output += page[i];
  }
  if (!info->running) co_await call.process.end_reported();
  json::object result{{"session_id", info->id},
                      {"status", status_of(*info)},
                      {"output", output},
                      {"total_lines", lines.size()},
                      {"showing", std::to_string(page.size()) + " lines"}};
  if (info->ended == ProcessEnd::lost) add_end(result, *info);
  co_return result;
}

// Ends with the process, at the limit or when the call is cancelled, and never touches the process.
// If it has ended, that is the answer even of a cancelled call.
Task<json::object> wait_process(ProcessCall call) {
  const json::value* timeout = given(call.arguments, "timeout");
  const auto asked = timeout ? whole_seconds(*timeout) : 0;
  if (!asked || *asked < 0) co_return bad_number("timeout");
  const WaitLimit limit =
      wait_limit(seconds(std::min(*asked, kMaxDuration.count())), call.config->timeout);

  CancelToken give_up;
  asio::steady_timer clock(co_await asio::this_coro::executor, limit.limit);
  clock.async_wait([give_up](boost::system::error_code error) mutable {
    if (!error) give_up.cancel();
  });
  call.cancel.on_cancel([give_up]() mutable { give_up.cancel(); });
  const auto over = std::make_shared<AsyncEvent>();
  if (call.on_progress) spawn(clock.get_executor(), show_progress(call, over));
  const auto ended = co_await call.process.wait(bytes_for_chars(kWaitExited), give_up);
  over->set();
  call.cancel.on_cancel(nullptr);
  clock.cancel();

  json::object result;
  if (ended) {
    result["status"] = "exited";
    add_end(result, *ended);
    result["output"] = shown_tail(*ended, kWaitExited, call.config->redact_secrets);
    add_more(result, *ended);
    add_notices(result, ended->notices);
    co_await call.process.end_reported();
  } else if (ended.error().kind() == ErrorKind::interrupted) {
    const auto info = co_await call.process.find(bytes_for_chars(kWaitOther));
    if (!info) co_return describe_error(call, info.error());
    result["status"] = call.cancel.cancelled() ? "interrupted" : "timeout";
    result["output"] = shown_tail(*info, kWaitOther, call.config->redact_secrets);
    if (call.cancel.cancelled()) {
      result["note"] = "User sent a new message -- wait interrupted";
    } else {
      result["timeout_note"] =
          "Waited " + std::to_string(limit.limit.count()) + "s, process still running";
    }
    add_more(result, *info);
  } else {
    co_return describe_error(call, ended.error());
  }
  if (!limit.note.empty()) result["timeout_note"] = limit.note;
  co_return result;
}

}  // namespace talaria::tool
