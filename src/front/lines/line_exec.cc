// exec: a command, as a program wants it: its streams apart, its output as it comes, its bytes as
// they are.
#include <talaria/command.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>

#include <boost/json/array.hpp>

#include "api/asio_watch.h"
#include "base/event.h"
#include "base/limits.h"
#include "front/lines/line_methods.h"
#include "front/random_name.h"

namespace talaria::front::lines {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// What was asked for beside the command itself.
struct ExecWish {
  bool merge = false;
  bool stream = false;
  PartEncoding encoding = PartEncoding::text;
  std::uint64_t window = kUsualWindow;
  milliseconds heartbeat{0};  // 0: none
};

Result<std::optional<std::string>> input_of(const LineParams& params) {
  if (params.has("stdin") && params.has("stdin64")) {
    return fail(ErrorKind::bad_request, "params: give stdin or stdin64, not both");
  }
  return params.has("stdin64") ? params.bytes("stdin64") : params.given_text("stdin");
}

Result<ExecWish> read_wish(const LineParams& params) {
  ExecWish wish{.merge = params.flag("merge"), .stream = params.flag("stream")};
  const auto encoding = params.choice("encoding", kPartEncodings);
  if (!encoding) return fail(encoding.error());
  wish.encoding = static_cast<PartEncoding>(*encoding);
  const auto window = window_of(params);
  if (!window) return fail(window.error());
  wish.window = *window;
  const auto heartbeat =
      params.time_within("heartbeat", milliseconds(0), kLeastHeartbeat, kMostHeartbeat);
  if (!heartbeat) return fail(heartbeat.error());
  wish.heartbeat = *heartbeat;
  return wish;
}

Result<Command> read_command(const LineParams& params, const ExecWish& wish) {
  auto text = command_of(params);
  if (!text) return fail(text.error());
  auto input = input_of(params);
  if (!input) return fail(input.error());
  auto variables = variables_of(params);
  if (!variables) return fail(variables.error());
  const auto kept = params.whole_within("max_output", 0, 0, kMostExecOutput);
  if (!kept) return fail(kept.error());
  return Command{.text = std::move(*text),
                 .session_key = params.text("session_key"),
                 .workdir = params.given_text("cwd"),
                 .timeout = params.time("timeout").value_or(milliseconds(0)),
                 .variables = std::move(*variables),
                 .stdin_data = std::move(*input),
                 .errors_apart = !wish.merge,
                 .raw_output = wish.encoding != PartEncoding::text,
                 .max_output = *kept,
                 .changes_session = params.flag("session", true),
                 .user = params.who("user"),
                 .waits_for_approval = params.flag("wait_approval", true),
                 .id = params.text("call_id", "exec_" + random_name())};
}

// Bytes of each stream, for an exec whose output is streamed.
struct Printed {
  std::uint64_t output = 0;
  std::uint64_t errors = 0;
};

void stream_output(Command& command, PartStream& parts, bool merge, Printed& printed) {
  command.on_output = [&parts, &printed, name = merge ? "output" : "stdout"](std::string_view b) {
    printed.output += b.size();
    parts.add(name, b);
  };
  if (merge) return;
  command.on_errors = [&parts, &printed](std::string_view bytes) {
    printed.errors += bytes.size();
    parts.add("stderr", bytes);
  };
}

Task<void> beat(std::shared_ptr<LineRequest> request, milliseconds pause,
                std::shared_ptr<AsyncEvent> ended) {
  const Clock::time_point begun = Clock::now();
  Clock::time_point next = begun + pause;
  while (!co_await ended->wait_until(next)) {
    const std::chrono::duration<double> passed = Clock::now() - begun;
    request->send({{"heartbeat", passed.count()}});
    next = std::max(next + pause, Clock::now());
  }
}

// Says in parts what the request waits for before its command begins.
AsioWatch watch_waits(const MethodCall& call, const std::string& task, const std::string& id) {
  const std::weak_ptr<LineRequest> weak = call.request;
  Watcher watcher = preparing_watcher(call, task);
  watcher.asked = [weak, id](const ApprovalRequest& question) {
    const auto request = weak.lock();
    if (!request || question.call != id) return;
    request->send({{"waiting", "approval"},
                   {"approval", question.id},
                   {"description", question.description}});
  };
  return AsioWatch(call.services.runtime, std::move(watcher));
}

json::object shown_outcome(const Outcome& outcome, const ExecWish& wish) {
  json::object answer{{"exit_code", outcome.exit_code},
                      {"shell_exit_code", outcome.shell_exit_code()},
                      {"timed_out", outcome.ended == CommandEnd::timed_out},
                      {"interrupted", outcome.ended == CommandEnd::interrupted}};
  const char* const first = wish.merge ? "output" : "stdout";
  if (!wish.stream) {
    add_bytes(answer, first, outcome.output, wish.encoding);
    if (!wish.merge) add_bytes(answer, "stderr", outcome.errors, wish.encoding);
  }
  answer[std::string(first) + "_bytes"] = outcome.output_bytes;
  if (!wish.merge) answer["stderr_bytes"] = outcome.errors_bytes;
  answer["truncated"] = outcome.truncated;
  if (!outcome.full_output_path.empty()) answer["full_output_path"] = outcome.full_output_path;
  answer["cwd"] = outcome.cwd;
  answer["duration_ms"] =
      std::chrono::duration_cast<std::chrono::milliseconds>(outcome.duration).count();
  answer["target"] = outcome.target;
  answer["transport"] = outcome.transport;
  answer["notices"] = json::array(outcome.notices.begin(), outcome.notices.end());
  if (!outcome.survivors.empty()) answer["survivors"] = shown_leftovers(outcome.survivors);
  answer["background_children"] = outcome.background_children;
  answer["oom_killed"] = outcome.oom_killed;
  return answer;
}

// The command, with everything that lasts as long as it does.
Task<Result<Outcome>> run_exec(MethodCall& call, Command command, const ExecWish& wish) {
  const std::shared_ptr<LineRequest> request = call.request;
  const AsioWatch watch = watch_waits(call, *command.task, command.id);
  const auto ended = std::make_shared<AsyncEvent>();
  if (wish.heartbeat.count() > 0) call.services.start(beat(request, wish.heartbeat, ended));
  Printed printed;
  std::shared_ptr<OutputFlow> flow;
  if (wish.stream) {
    PartStream& parts = request->open_parts(wish.encoding, wish.window);
    flow = parts.flow();
    stream_output(command, parts, wish.merge, printed);
  }
  if (request->input()) command.stdin_fd = request->input()->read_fd();
  auto outcome =
      co_await call.services.runtime.run(std::move(command), request->cancel(), std::move(flow));
  request->close_input();
  co_await request->parts_sent();
  ended->set();
  if (outcome && wish.stream) {
    outcome->output_bytes = printed.output;
    outcome->errors_bytes = printed.errors;
  }
  co_return outcome;
}

Task<Result<json::object>> exec(MethodCall call) {
  const auto wish = read_wish(call.params);
  if (!wish) co_return fail(wish.error());
  auto command = read_command(call.params, *wish);
  if (!command) co_return fail(command.error());
  const auto place = co_await place_of(call);
  if (!place) co_return fail(place.error());
  command->task = place->task;
  command->first_directory = place->first_directory;
  if (command->session_key.empty()) command->session_key = place->session_key;
  command->variables.insert(command->variables.begin(), place->variables.begin(),
                            place->variables.end());
  const auto outcome = co_await run_exec(call, std::move(*command), *wish);
  if (!outcome) co_return fail(outcome.error());
  co_return shown_outcome(*outcome, *wish);
}

constexpr std::string_view kExecParams =
    "command:text argv:texts task:text sandbox:text cwd:text env:map home:text user:who "
    "timeout:time stdin:text stdin64:base64 stdin_open:flag merge:flag stream:flag encoding:text "
    "max_output:whole session:flag session_key:text call_id:text heartbeat:time window:whole "
    "wait_approval:flag";

constexpr auto kExecMethods = std::to_array<Method>({
    {.name = "exec",
     .params = kExecParams,
     .pace = Method::Pace::work,
     .run = exec,
     .takes_input = [](const LineParams& params) { return params.flag("stdin_open"); }},
});

}  // namespace

std::span<const Method> exec_methods() { return kExecMethods; }

}  // namespace talaria::front::lines
