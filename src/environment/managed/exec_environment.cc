#include "environment/managed/exec_environment.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "base/time_limit.h"
#include "environment/carrier/bootstrap.h"
#include "environment/input_source.h"
#include "environment/managed/judged_script.h"
#include "environment/output_window.h"
#include "os/random.h"

namespace talaria::environment::managed {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = ExecReply::Kind;
using std::chrono::milliseconds;

constexpr auto kPollPause = milliseconds(250);
constexpr auto kReturn = milliseconds(10'000);  // for a server that was killed to come back
constexpr auto kGrace = milliseconds(10'000);   // for the server to end a command that is too late
// How long a server that supports it may hold a request until the exec ends.
constexpr auto kFirstWait = milliseconds(10'000);
constexpr auto kWait = milliseconds(20'000);
// A command without a limit of its own: as long as the sandbox.
constexpr auto kLongest = milliseconds(3'600'000);
constexpr int kMostRefusals = 8;  // of a busy server, one after the other
// A longer command does not fit into an argument of the shell that is to run it.
constexpr std::size_t kLongestVisible = 64 * 1024;
constexpr std::size_t kMostSessions = 10'000;

constexpr int kTimedOut = 124;
constexpr int kRefused = 126;  // by policy
constexpr int kInterrupted = 130;

constexpr const char* kWhy =
    "the gateway takes one command at a time, and does not say that its sandboxes are isolated";

ExecReply fixed(std::string text, int code) {
  return {
      .kind = Kind::ended, .status = "completed", .output = std::move(text), .returncode = code};
}

// The gateway did not do what it was asked for.
ExecReply failed(std::string message) {
  ExecReply reply = fixed(std::move(message), 1);
  reply.status = "failed";
  return reply;
}

ExecReply interrupted() {
  return fixed("[Command interrupted - Modal sandbox exec cancelled]", kInterrupted);
}

Task<bool> pause(milliseconds time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(as_values);
  co_return true;
}

bool is_json_text(std::string_view bytes) { return is_valid_utf8(bytes) && !bytes.contains('\0'); }

// A body of JSON has room for text only, so other input goes as base64.
void make_text_of_input(GatewayExec& exec) {
  if (!exec.stdin_data || is_json_text(*exec.stdin_data)) return;
  exec.stdin_data = base64(*exec.stdin_data);
  exec.command = "base64 -d | {\n" + exec.command + "}\n";
}

// What is sent to a gateway that judges commands.
GatewayExec judged_exec(const plain::PlainCall& call) {
  GatewayExec exec{.command = judged_script(call), .stdin_data = call.spec.stdin_data};
  json::object variables;
  for (const std::string_view entry : call.spec.carried_env) {
    const auto equals = entry.find('=');
    if (equals != std::string_view::npos) {
      variables[entry.substr(0, equals)] = sanitize_utf8(entry.substr(equals + 1));
    }
  }
  if (!variables.empty()) exec.more["env"] = std::move(variables);
  return exec;
}

// To any other.
GatewayExec plain_exec(const plain::PlainCall& call) {
  const std::vector<std::string> places = carrier::RunnerPlaces{}.own;
  const std::string& command = call.spec.command;
  plain::PlainStyle style{.own_session = false};
  const bool visible =
      !command.empty() && command.size() <= kLongestVisible && is_json_text(command);
  if (visible) style.command = command;
  return {.command = plain_script(places, style), .stdin_data = plain_input(call, style)};
}

GatewayExec exec_of(const plain::PlainCall& call, const GatewaySandbox& sandbox) {
  const bool judged = sandbox.isolated == false && is_json_text(call.spec.command);
  GatewayExec exec = judged ? judged_exec(call) : plain_exec(call);
  exec.id = os::random_uuid();
  exec.timeout = call.spec.timeout.count() > 0 ? call.spec.timeout : kLongest;
  make_text_of_input(exec);
  return exec;
}

ExitStatus status_of(int returncode) {
  if (returncode < 0) return Signaled{-returncode};
  return Exited{returncode};
}

// The parts of an answer. An answer without our marks is output as it is.
struct Answered {
  std::string output;
  std::optional<plain::PlainTrailer> trailer;
  std::string refusal;
};

Answered take_apart(const std::string& nonce, const std::string& text) {
  if (!text.contains(nonce)) return {.output = text};
  plain::PlainReader reader(nonce);
  Answered found;
  const bool refused = text.contains(nonce + " refused ");
  if (!refused && !text.contains(nonce + " started\n")) reader.take_as_started();
  reader.feed(text, found.output);
  reader.finish(found.output);
  found.trailer = reader.trailer();
  if (!reader.started()) found.refusal = reader.refusal();
  return found;
}

}  // namespace

ExecEnvironment::ExecEnvironment(std::shared_ptr<ManagedSandbox> sandbox)
    : sandbox_(std::move(sandbox)), notices_(kWhy), processes_(kWhy), files_(kWhy) {}

// Where it runs, as far as is known here: the script goes there in any case.
std::string ExecEnvironment::directory_for(const CommandSpec& spec) const {
  if (spec.workdir && spec.workdir->starts_with('/')) return *spec.workdir;
  const auto known = directories_.find(spec.session);
  if (!spec.session.empty() && !spec.move_to.empty()) return spec.move_to;
  if (known != directories_.end()) return known->second;
  return spec.first_cwd.starts_with('/') ? spec.first_cwd : sandbox_->spec().cwd;
}

Task<Result<CommandOutcome>> ExecEnvironment::run(CommandSpec spec, CancelToken cancel) {
  if (const auto usable = plain::check_call(spec, cancel); !usable) co_return fail(usable.error());
  if (const auto read = co_await read_whole_input(spec, cancel); !read)
    co_return fail(read.error());
  plain::spare_session(spec);
  plain::PlainCall call{
      .nonce = os::random_hex(16), .id = plain::random_run_id(), .spec = std::move(spec)};
  GatewayExec exec = exec_of(call, sandbox_->facts());
  exec.cwd = directory_for(call.spec);
  const Clock::time_point begun = Clock::now();
  const auto reply = co_await run_exec(std::move(exec), cancel);
  if (!reply) co_return fail(reply.error());
  Result<CommandOutcome> result = outcome(call, *reply);
  if (result) {
    result->duration = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
  }
  co_return result;
}

// A sandbox that has ended meanwhile has not run it: another one may.
Task<Result<ExecReply>> ExecEnvironment::run_exec(GatewayExec exec, CancelToken cancel) {
  sandbox_->used();
  const std::string first = sandbox_->facts().id;
  ExecReply reply;
  if (!first.empty()) reply = co_await follow(first, exec, cancel);
  if (!first.empty() && !reply.no_sandbox) co_return reply;
  if (const auto replaced = co_await sandbox_->replace(first); !replaced) {
    co_return fail(replaced.error());
  }
  directories_.clear();
  exec.cwd = sandbox_->spec().cwd;
  co_return co_await follow(sandbox_->facts().id, std::move(exec), cancel);
}

// To its end, whatever that is.
Task<ExecReply> ExecEnvironment::follow(std::string sandbox, GatewayExec exec, CancelToken cancel) {
  GatewayClient& client = *sandbox_->client();
  const std::string id = exec.id;
  const milliseconds timeout = exec.timeout;
  const bool waits = sandbox_->facts().can("wait");
  GatewayClient::Wait wait;
  if (waits) wait = std::min(kFirstWait, timeout);
  auto started = co_await until_cancelled(cancel, client.start(sandbox, exec, wait));
  // One that says that it knows an exec by its id for good may be asked again: it may be back soon.
  const Clock::time_point patience = Clock::now() + kReturn;
  while (waits && started && started->silent && Clock::now() < patience) {
    (void)co_await until_cancelled(cancel, pause(kPollPause));
    started = co_await until_cancelled(cancel, client.start(sandbox, exec, wait));
  }
  if (started && started->kind == Kind::ended) co_return *started;
  if (started && started->kind == Kind::running) {
    co_return co_await wait_for_end(sandbox, id, timeout, cancel);
  }
  // Cancelled, or it is unknown whether it runs.
  if (!started || started->may_run) co_await client.cancel(sandbox, id);
  if (!started) co_return interrupted();
  ExecReply reply = failed(started->message);
  reply.no_sandbox = started->no_sandbox;
  co_return reply;
}

Task<ExecReply> ExecEnvironment::wait_for_end(std::string sandbox, std::string exec,
                                              milliseconds timeout, CancelToken cancel) {
  GatewayClient& client = *sandbox_->client();
  const Clock::time_point deadline = Clock::now() + timeout + kGrace;
  const bool waits = sandbox_->facts().can("wait");
  int refusals = 0;
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    GatewayClient::Wait wait;
    if (waits) wait = std::clamp(left, milliseconds(1), kWait);
    const auto reply = co_await until_cancelled(cancel, client.poll(sandbox, exec, wait));
    if (!reply) {
      co_await client.cancel(sandbox, exec);
      co_return interrupted();
    }
    if (reply->kind == Kind::ended) co_return *reply;
    refusals = reply->kind == Kind::unavailable && !reply->silent ? refusals + 1 : 0;
    if (reply->kind == Kind::refused || refusals > kMostRefusals) {
      co_await client.cancel(sandbox, exec);
      co_return failed(reply->message);
    }
    if (Clock::now() >= deadline) {
      co_await client.cancel(sandbox, exec);
      co_return fixed("Managed Modal exec timed out after " + in_seconds(timeout) + "s", kTimedOut);
    }
    if (waits && reply->kind == Kind::running) continue;
    (void)co_await until_cancelled(cancel, pause(kPollPause));
  }
}

Result<CommandOutcome> ExecEnvironment::outcome(const plain::PlainCall& call,
                                                const ExecReply& reply) {
  const Answered answered = take_apart(call.nonce, reply.output);
  if (!answered.refusal.empty()) {
    return fail(ErrorKind::unavailable, "the sandbox cannot be worked in: " + answered.refusal);
  }
  // A caller of tools sees a failed command with the gateway's message, as the protocol has it. A
  // person, who sees output as it comes, gets an error: it was not output of a command.
  const bool began = reply.output.contains(call.nonce);
  if (reply.status == "failed" && !began && reply.returncode != kRefused && call.spec.on_output) {
    return fail(ErrorKind::unavailable, answered.output);
  }
  CommandOutcome outcome{.status = status_of(reply.returncode)};
  if (reply.status == "timeout" && call.spec.timeout.count() > 0) {
    outcome.ended = CommandEnd::timed_out;
  }
  if (answered.trailer) {
    outcome.status = answered.trailer->exit_status();
    outcome.cwd = answered.trailer->cwd;
    outcome.background_children = answered.trailer->children;
    notices_.add(*answered.trailer, call.spec, outcome.notices);
  }
  // One that could not be started may have been sent to a directory that is gone.
  if (reply.status == "failed") directories_.erase(call.spec.session);
  const bool keeps = !call.spec.session.empty() && !outcome.cwd.empty();
  if (keeps && (directories_.size() < kMostSessions || directories_.contains(call.spec.session))) {
    directories_[call.spec.session] = outcome.cwd;
  }
  std::ranges::move(sandbox_->take_news(), std::back_inserter(outcome.notices));
  OutputWindow window(call.spec.head_limit, call.spec.tail_limit);
  window.add(answered.output);
  if (call.spec.on_output && !answered.output.empty()) call.spec.on_output(answered.output);
  window.put_into(outcome);
  return outcome;
}

}  // namespace talaria::environment::managed
