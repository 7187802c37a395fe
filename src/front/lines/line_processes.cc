// Background processes.
#include <array>
#include <chrono>
#include <memory>
#include <string>

#include <boost/json/array.hpp>

#include "api/asio_processes.h"
#include "api/cancel_watch.h"
#include "base/event.h"
#include "base/limits.h"
#include "base/signal_name.h"
#include "base/text.h"
#include "front/lines/line_methods.h"

namespace talaria::front::lines {
namespace {

using std::chrono::milliseconds;

// Of output that is followed, what is read ahead of the client.
constexpr std::uint64_t kFollowedPiece = 256u << 10;
constexpr std::uint64_t kMostTail = 1u << 20;

double time_of(std::chrono::system_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

json::object shown_process(const ProcessInfo& info, bool with_tail = false) {
  json::object shown{{"id", info.id},
                     {"task", info.task},
                     {"session_key", info.session_key},
                     {"target", info.target},
                     {"command", info.command},
                     {"cwd", info.cwd},
                     {"pid", info.pid},
                     {"started", time_of(info.started)},
                     {"running", info.running}};
  if (!info.running) {
    shown["finished"] = time_of(info.finished);
    shown["end"] = end_name(info.ended);
    shown["exit_code"] = info.exit_code;
    shown["source"] = info.source;
  }
  shown["lifetime"] = lifespan_name(info.lifespan);
  shown["takes_input"] = info.takes_input;
  shown["waiting_for_input"] = info.waiting_for_input;
  if (!info.terminal.empty()) {
    const ScreenSize& size = info.terminal.back().size;
    shown["terminal"] = {{"rows", size.rows}, {"cols", size.cols}};
  }
  shown["notify"] = info.notify;
  shown["watch"] = json::array(info.watch_patterns.begin(), info.watch_patterns.end());
  shown["output_bytes"] = info.output_bytes;
  if (with_tail) {
    shown["tail"] = sanitize_utf8(info.tail);
    shown["tail_from"] = info.tail_from;
  }
  return shown;
}

Error unknown_process(const std::string& id) {
  return {ErrorKind::not_found, "No process with ID " + id};
}

// The id that the parameter `process` is, if the client may know of that process.
Task<Result<std::string>> process_of(MethodCall& call) {
  std::string id = call.params.text("process");
  if (call.services.places.sees_all()) co_return id;
  const auto info = co_await AsioProcesses(call.services.runtime).find(id);
  if (!info) co_return fail(info.error());
  if (!call.services.places.may_see(info->task)) co_return fail(unknown_process(id));
  co_return id;
}

Result<ScreenSize> size_of(const json::value& rows, const json::value& cols) {
  const auto rows_wanted = rows.to_number<double>();
  const auto cols_wanted = cols.to_number<double>();
  constexpr double kMost = 1000;
  if (rows_wanted >= 1 && rows_wanted <= kMost && cols_wanted >= 1 && cols_wanted <= kMost) {
    return ScreenSize{.rows = static_cast<std::uint32_t>(rows_wanted),
                      .cols = static_cast<std::uint32_t>(cols_wanted)};
  }
  return fail(ErrorKind::bad_request, "params: rows and cols are numbers from 1 to 1000");
}

Result<ProcessStart> read_start(const LineParams& params) {
  auto command = command_of(params);
  if (!command) return fail(command.error());
  auto variables = variables_of(params);
  if (!variables) return fail(variables.error());
  const auto lifetime = params.choice("lifetime", "session call keep");
  if (!lifetime) return fail(lifetime.error());
  ProcessStart start{.command = std::move(*command),
                     .session_key = params.text("session_key"),
                     .workdir = params.given_text("cwd"),
                     .variables = std::move(*variables),
                     .takes_input = params.flag("stdin"),
                     .lifespan = *lifespan_of(params.text("lifetime", "session")),
                     .notify = params.flag("notify"),
                     .watch_patterns = params.texts("watch"),
                     .waits_for_approval = params.flag("wait_approval", true)};
  if (const json::value* const terminal = params.find("terminal")) {
    const auto size = size_of(terminal->at("rows"), terminal->at("cols"));
    if (!size) return fail(size.error());
    start.terminal = *size;
  }
  if (const auto age = params.time("max_age")) {
    start.max_age = std::chrono::ceil<std::chrono::seconds>(*age);
  }
  return start;
}

Task<Result<json::object>> start_process(MethodCall call) {
  auto start = read_start(call.params);
  if (!start) co_return fail(start.error());
  const auto place = co_await place_of(call);
  if (!place) co_return fail(place.error());
  start->task = place->task;
  start->first_directory = place->first_directory;
  if (start->session_key.empty()) start->session_key = place->session_key;
  start->variables.insert(start->variables.begin(), place->variables.begin(),
                          place->variables.end());
  AsioProcesses processes(call.services.runtime);
  const auto id = co_await processes.start(std::move(*start), call.request->cancel());
  if (!id) co_return fail(id.error());
  const auto info = co_await processes.find(*id);
  if (!info) co_return fail(info.error());
  co_return json::object{{"process", shown_process(*info)}};
}

Task<Result<json::object>> list_processes(MethodCall call) {
  std::optional<std::string> task;
  if (call.params.has("task") || call.params.has("sandbox")) {
    const auto place = co_await place_of(call);
    if (!place) co_return fail(place.error());
    task = place->task;
  }
  const bool all = call.params.flag("all");
  const auto found = co_await AsioProcesses(call.services.runtime).list();
  if (!found) co_return fail(found.error());
  json::array processes;
  for (const ProcessInfo& info : found->processes) {
    const bool wanted = (info.running || all) && (!task || info.task == *task) &&
                        call.services.places.may_see(info.task);
    if (wanted) processes.push_back(shown_process(info));
  }
  json::array away;
  for (const Error& error : found->away) away.push_back({{"message", error.message()}});
  co_return json::object{{"processes", std::move(processes)}, {"away", std::move(away)}};
}

Task<Result<json::object>> get_process(MethodCall call) {
  const auto tail = call.params.whole_within("tail", 0, 0, kMostTail);
  if (!tail) co_return fail(tail.error());
  const auto id = co_await process_of(call);
  if (!id) co_return fail(id.error());
  const auto info = co_await AsioProcesses(call.services.runtime).find(*id, *tail);
  if (!info) co_return fail(info.error());
  co_return json::object{{"process", shown_process(*info, *tail > 0)}};
}

json::object shown_read(const OutputRead& read) {
  return {{"next", read.next}, {"total", read.total}, {"eof", read.eof}, {"lost", read.lost}};
}

// In pieces: the next is read when the client has taken the last.
Task<Result<OutputRead>> follow_output(MethodCall& call, OutputQuery query, PartStream& parts) {
  AsioProcesses processes(call.services.runtime);
  std::optional<std::uint64_t> end;
  if (query.max > 0) end = query.from + query.max;
  query.follow = true;
  OutputRead whole{.next = query.from};
  for (;;) {
    query.max = kFollowedPiece;
    if (end) query.max = std::min(query.max, *end - query.from);
    const auto read = co_await processes.read_at(
        query,
        [&parts](std::uint64_t from, std::string_view bytes) { parts.add("output", bytes, from); },
        call.request->cancel());
    if (!read) co_return fail(read.error());
    whole = {.next = read->next,
             .total = read->total,
             .eof = read->eof,
             .lost = whole.lost + read->lost};
    query.from = read->next;
    if (read->eof || (end && query.from >= *end)) co_return whole;
    co_await parts.sent();
    if (call.request->cancel().cancelled()) co_return fail(ErrorKind::interrupted, "cancelled");
  }
}

Task<Result<json::object>> read_process(MethodCall call) {
  const auto encoding = call.params.choice("encoding", kPartEncodings);
  if (!encoding) co_return fail(encoding.error());
  const auto how = static_cast<PartEncoding>(*encoding);
  const bool follow = call.params.flag("follow");
  const auto max = call.params.whole_within("max", follow ? 0 : kMaxReadBytes, 1,
                                            follow ? std::uint64_t{1} << 53 : kMaxFilePart);
  if (!max) co_return fail(max.error());
  const auto window = window_of(call.params);
  if (!window) co_return fail(window.error());
  const auto id = co_await process_of(call);
  if (!id) co_return fail(id.error());
  OutputQuery query{.id = *id, .from = call.params.whole("from").value_or(0), .max = *max};
  if (follow) {
    PartStream& parts = call.request->open_parts(how, *window);
    const auto read = co_await follow_output(call, std::move(query), parts);
    co_await call.request->parts_sent();
    if (!read) co_return fail(read.error());
    co_return shown_read(*read);
  }
  std::string data;
  std::optional<std::uint64_t> begin;
  const auto read = co_await AsioProcesses(call.services.runtime)
                        .read_at(
                            query,
                            [&](std::uint64_t from, std::string_view bytes) {
                              if (!begin) begin = from;
                              data += bytes;
                            },
                            call.request->cancel());
  if (!read) co_return fail(read.error());
  json::object answer;
  add_bytes(answer, "data", data, how);
  answer["from"] = begin.value_or(read->next);
  for (auto& [name, value] : shown_read(*read)) answer[name] = value;
  co_return answer;
}

Task<Result<json::object>> write_process(MethodCall call) {
  if (call.params.has("data") && call.params.has("data64")) {
    co_return fail(ErrorKind::bad_request, "params: give data or data64, not both");
  }
  std::string data = call.params.text("data");
  if (auto bytes = call.params.bytes("data64")) data = std::move(*bytes);
  const auto id = co_await process_of(call);
  if (!id) co_return fail(id.error());
  const auto taken =
      co_await AsioProcesses(call.services.runtime)
          .write_judged(*id, std::move(data), call.params.flag("end"), call.request->cancel());
  if (!taken) co_return fail(taken.error());
  co_return json::object{{"taken", *taken}};
}

Task<Result<json::object>> resize_process(MethodCall call) {
  const auto size = size_of(*call.params.find("rows"), *call.params.find("cols"));
  if (!size) co_return fail(size.error());
  const auto id = co_await process_of(call);
  if (!id) co_return fail(id.error());
  const auto done = co_await AsioProcesses(call.services.runtime).resize(*id, *size);
  if (!done) co_return fail(done.error());
  co_return json::object();
}

Task<Result<json::object>> signal_process(MethodCall call) {
  const std::string wanted = call.params.who("signal");
  const auto number = signal_number(wanted);
  if (!number) {
    co_return fail(param_error("signal", "unknown signal '" + sanitize_utf8(wanted) +
                                             "'; expected a name such as TERM, or a number"));
  }
  const auto id = co_await process_of(call);
  if (!id) co_return fail(id.error());
  const auto done = co_await AsioProcesses(call.services.runtime).signal(*id, *number);
  if (!done) co_return fail(done.error());
  co_return json::object();
}

Task<void> cancel_after(Cancel cancel, milliseconds time, std::shared_ptr<AsyncEvent> ended) {
  if (!co_await ended->wait_for(time)) cancel.cancel();
}

Task<Result<json::object>> wait_process(MethodCall call) {
  const auto id = co_await process_of(call);
  if (!id) co_return fail(id.error());
  AsioProcesses processes(call.services.runtime);
  const Cancel stop;
  const CancelWatch watch(call.request->cancel(), [stop] { stop.cancel(); });
  const auto ended = std::make_shared<AsyncEvent>();
  if (const auto time = call.params.time("timeout")) {
    call.services.start(cancel_after(stop, *time, ended));
  }
  const auto info = co_await processes.wait(*id, stop);
  ended->set();
  if (info) co_return json::object{{"ended", true}, {"process", shown_process(*info)}};
  const bool late = stop.cancelled() && !call.request->cancel().cancelled();
  if (!late) co_return fail(info.error());
  const auto now = co_await processes.find(*id);
  if (!now) co_return fail(now.error());
  co_return json::object{{"ended", !now->running}, {"process", shown_process(*now)}};
}

Task<Result<json::object>> kill_process(MethodCall call) {
  const auto id = co_await process_of(call);
  if (!id) co_return fail(id.error());
  const auto killed = co_await AsioProcesses(call.services.runtime).kill(*id);
  if (!killed) co_return fail(killed.error());
  co_return json::object{{"already_ended", killed->already_ended},
                         {"survivors", shown_leftovers(killed->survivors)}};
}

Task<Result<json::object>> show_screen(MethodCall call) {
  const auto id = co_await process_of(call);
  if (!id) co_return fail(id.error());
  const auto screen = co_await AsioProcesses(call.services.runtime).screen(*id);
  if (!screen) co_return fail(screen.error());
  co_return json::object{{"lines", json::array(screen->lines.begin(), screen->lines.end())},
                         {"rows", screen->size.rows},
                         {"cols", screen->size.cols},
                         {"cursor",
                          {{"row", screen->cursor_row},
                           {"col", screen->cursor_col},
                           {"visible", screen->cursor_visible}}},
                         {"title", screen->title}};
}

Task<Result<json::object>> kill_all(MethodCall call) {
  KillAll which{.include_keep = call.params.flag("all")};
  if (call.params.has("task") || call.params.has("sandbox") || !call.services.places.sees_all()) {
    const auto place = co_await place_of(call);
    if (!place) co_return fail(place.error());
    which.task = place->task;
  }
  const auto killed = co_await AsioProcesses(call.services.runtime).kill_all(std::move(which));
  if (!killed) co_return fail(killed.error());
  std::size_t ended = 0;
  std::size_t survivors = 0;
  json::array errors;
  for (const KilledOne& one : killed->processes) {
    if (one.was_running && !one.error) ++ended;
    survivors += one.survivors.size();
    if (one.error) errors.emplace_back(one.id + ": " + one.error->message());
  }
  for (const Error& error : killed->away) errors.emplace_back(error.message());
  json::object answer{{"killed", ended}, {"survivors", survivors}};
  if (!errors.empty()) answer["errors"] = std::move(errors);
  co_return answer;
}

constexpr auto kProcessMethods = std::to_array<Method>({
    method_soon("processes.start",
                "command:text argv:texts task:text sandbox:text cwd:text env:map home:text "
                "session_key:text stdin:flag terminal:size lifetime:text notify:flag watch:texts "
                "max_age:time wait_approval:flag",
                start_process),
    method_soon("processes.list", "task:name sandbox:name all:flag", list_processes),
    method_soon("processes.get", "process!:name tail:whole", get_process),
    method_soon("processes.read",
                "process!:name from:whole max:whole follow:flag encoding:text window:whole",
                read_process),
    method_soon("processes.write", "process!:name data:text data64:base64 end:flag", write_process),
    method_soon("processes.resize", "process!:name rows!:whole cols!:whole", resize_process),
    method_soon("processes.signal", "process!:name signal!:who", signal_process),
    method_soon("processes.wait", "process!:name timeout:time", wait_process),
    method_soon("processes.kill", "process!:name", kill_process),
    method_soon("processes.screen", "process!:name", show_screen),
    method_soon("processes.kill_all", "task:name sandbox:name all:flag", kill_all),
});

}  // namespace

std::span<const Method> process_methods() { return kProcessMethods; }

}  // namespace talaria::front::lines
