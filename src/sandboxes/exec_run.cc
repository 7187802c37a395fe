#include "sandboxes/exec_run.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "base/backoff.h"
#include "base/keep_alive.h"
#include "sandboxes/exec_result.h"
#include "sandboxes/limits.h"
#include "sandboxes/sandbox_paths.h"
#include "tools/command_result.h"
#include "tools/run_command.h"

namespace talaria::sandboxes {
namespace {

using Clock = std::chrono::system_clock;
using Steady = std::chrono::steady_clock;

// A runner remembers ended processes for a while. An exec that is older than this and not found may
// have run already, so it is not started again.
constexpr auto kSurelyRemembered = std::chrono::minutes(20);
// How many ended processes a runner remembers for a gateway that is not connected, and how long.
constexpr std::uint64_t kRememberedEnds = 1024;
constexpr auto kRememberedFor = std::chrono::hours(1);
// Pauses and attempts if a target does not answer.
constexpr auto kFirstPause = std::chrono::milliseconds(200);
constexpr auto kLongestPause = std::chrono::milliseconds(10'000);
constexpr int kMaxAttempts = 40;
// How long a signal or input waits for an exec that is being started.
constexpr auto kStartPatience = std::chrono::seconds(10);
// The last use of a sandbox is recorded at most this often.
constexpr auto kUseWritten = std::chrono::seconds(10);

}  // namespace

ExecRun::ExecRun(asio::any_io_executor executor, tool::Services services,
                 std::shared_ptr<SandboxTable> table, host::StoredExec stored)
    : executor_(std::move(executor)),
      services_(services),
      table_(std::move(table)),
      stored_(std::move(stored)) {}

environment::CommandSpec ExecRun::command_in(const SandboxInfo& sandbox) const {
  const ExecSpec& spec = stored_.spec;
  environment::CommandSpec command{.command = spec.command,
                                   .session = sandbox.id,
                                   .first_cwd = exec_directory(sandbox, std::nullopt),
                                   .env = services_.settings.variables().child_env(),
                                   .carried_env = services_.settings.variables().carried_env(),
                                   .umask = services_.settings.caller().umask,
                                   .spill_quota = services_.settings.config()->spill_quota};
  if (spec.cwd) command.workdir = exec_directory(sandbox, spec.cwd);
  if (!sandbox.directory.empty()) tool::set_variables(command, {"HOME=" + sandbox.directory});
  tool::set_caller_variables(command, spec.variables);
  return command;
}

environment::ProcessSpec ExecRun::process_spec() {
  const host::ProcessConfig& bounds = services_.settings.config()->processes;
  environment::ProcessSpec how{.takes_input = stored_.spec.takes_input,
                               .lifespan = Lifespan::keep,
                               .max_age = stored_.spec.timeout,
                               .session_key = stored_.sandbox,
                               .changes_session = stored_.spec.changes_session,
                               .login = is_container_target(services_.settings.target()),
                               .caps = {.running = bounds.max_running,
                                        .terminals = bounds.max_terminals,
                                        .finished = kRememberedEnds,
                                        .retention = kRememberedFor}};
  how.on_sent = [self = shared_from_this()](const std::string&) {
    self->stored_.info.state = ExecState::running;
    self->stored_.info.started = Clock::now();
    self->early_wait_ = true;
    spawn(self->executor_, keep_alive(self, self->wait_early()));
  };
  return how;
}

// Saves a round trip for short commands.
Task<void> ExecRun::wait_early() {
  const auto environment = starting_;
  auto ended = co_await environment->processes().wait(
      {.id = stored_.info.process, .tail_limit = kExecHead + kExecTail}, CancelToken());
  early_end_ = std::move(ended);
  changed_.notify_all();
}

void ExecRun::waits_for(const ApprovalRequest& request) {
  stored_.info.approval = request.id;
  stored_.info.reason = "waits for approval (" + request.id + "): " + request.description;
  changed_.notify_all();
}

Task<void> ExecRun::kill() {
  if (ended() || std::exchange(kill_asked_, true)) co_return;
  stored_.info.state = ExecState::cancelling;
  if (!environment_) {
    cancel_.cancel();  // begin() kills it if it has started meanwhile
    co_return;
  }
  (void)co_await environment_->processes().kill(stored_.info.process, std::string(kCancelSource));
}

Task<std::shared_ptr<environment::Environment>> ExecRun::wait_for_start() {
  const auto until = Steady::now() + kStartPatience;
  while (!environment_ && !ended() && stored_.info.approval.empty() && Steady::now() < until) {
    co_await changed_.wait_until(until);
  }
  co_return ended() ? nullptr : environment_;
}

Task<void> ExecRun::run() {
  if (co_await begin()) co_await follow_to_end();
  finish();
}

// False: it has not started and will not.
Task<bool> ExecRun::begin() {
  const auto environment = co_await services_.environments.get(stored_.sandbox);
  const SandboxPtr sandbox = table_->find(stored_.sandbox);
  if (!sandbox) {  // it was terminated meanwhile
    set_cancelled(stored_.info);
    co_return false;
  }
  if (!environment) {
    set_failed(stored_.info, environment.error().message());
    co_return false;
  }
  starting_ = *environment;
  const std::string instance = (*environment)->processes().instance();
  if (stored_.instance != instance) {
    stored_.instance = instance;
    co_await write_sent();
  }
  sandbox->instance = instance;
  CallContext context{
      .task = stored_.sandbox, .session_key = stored_.sandbox, .id = stored_.info.id};
  const tool::ToolCall call = tool::begin_call(services_, std::move(context), cancel_);
  environment::CommandSpec command = command_in(sandbox->info());
  command.stdin_data =
      std::move(stored_.spec.stdin_data);  // which is needed no more, and may be large
  const tool::ProcessRun run =
      co_await tool::run_process_as(stored_.info.process, call, std::move(command), process_spec());
  ExecInfo& info = stored_.info;
  info.approval.clear();
  info.reason.clear();
  if (!run.outcome) {
    if (kill_asked_ || run.outcome.error().kind() == ErrorKind::interrupted) {
      set_cancelled(info);
    } else {
      set_failed(info, run.outcome.error().message(),
                 run.decision.approved ? kExecNotRun : kExecRefused);
    }
    co_return false;
  }
  environment_ = *environment;
  if (!info.started) {  // there was no link yet when it was sent
    info.started = Clock::now();
    stored_.instance = (*environment)->processes().instance();
    co_await write_sent();
  }
  if (kill_asked_) {  // too late for the token
    info.state = ExecState::cancelling;
    (void)co_await (*environment)->processes().kill(info.process, std::string(kCancelSource));
  } else {
    info.state = ExecState::running;
  }
  changed_.notify_all();
  co_return true;
}

Task<void> ExecRun::write_sent() {
  (void)co_await table_->patiently([this](host::SandboxStore& store) {
    return store.exec_sent(stored_.number, stored_.instance);
  });
}

// After a crash: it runs, has ended, or was never started. Only in the last case it is started.
Task<void> ExecRun::resume() {
  const bool was_sent = !stored_.instance.empty();
  const std::string instance = stored_.instance;
  Backoff backoff(kFirstPause, kLongestPause);
  for (int attempt = 0;; ++attempt) {
    Result<std::vector<ProcessInfo>> found;
    const auto environment = co_await services_.environments.get(stored_.sandbox);
    if (environment) {
      found = co_await (*environment)->processes().list({.id = stored_.info.process});
    } else {
      found = fail(environment.error());
    }
    if (found && !found->empty()) {
      environment_ = *environment;
      stored_.info.state = ExecState::running;
      stored_.info.started = found->front().started;
      if (found->front().running && stored_.spec.stdin_data) co_await give_input_again();
      if (std::exchange(kill_asked_, false)) co_await kill();
      co_await follow_to_end();
      break;
    }
    if (found) {
      const bool same_runner = instance == (*environment)->processes().instance();
      const bool young = Clock::now() - stored_.info.created < kSurelyRemembered;
      if (young && (!was_sent || same_runner)) {
        if (co_await begin()) co_await follow_to_end();
      } else {
        set_failed(stored_.info,
                   "the gateway was restarted, and the target no longer knows the command");
      }
      break;
    }
    if (attempt >= kMaxAttempts) {
      set_failed(stored_.info, "the target does not answer: " + found.error().message());
      break;
    }
    co_await backoff.pause();
  }
  finish();
}

// The gateway may have been killed before all of the input was sent. The runner knows how much it
// has, and does not start the process again.
Task<void> ExecRun::give_input_again() {
  const SandboxPtr sandbox = table_->find(stored_.sandbox);
  if (!sandbox) co_return;
  environment::ProcessSpec how = process_spec();
  how.on_sent = nullptr;
  environment::CommandSpec command = command_in(sandbox->info());
  command.stdin_data = stored_.spec.stdin_data;
  (void)co_await environment_->processes().start_as(stored_.info.process, std::move(command),
                                                    std::move(how), CancelToken());
}

// A broken link may come back: the process does not depend on it.
Task<Result<ProcessInfo>> ExecRun::wait_for_end() {
  while (early_wait_ && !early_end_) co_await changed_.wait();
  if (early_end_ && *early_end_) co_return *std::exchange(early_end_, std::nullopt);
  Backoff backoff(kFirstPause, kLongestPause);
  for (int attempt = 0;; ++attempt) {
    auto ended = co_await environment_->processes().wait(
        {.id = stored_.info.process, .tail_limit = kExecHead + kExecTail}, CancelToken());
    if (ended || ended.error().kind() == ErrorKind::not_found || attempt >= kMaxAttempts) {
      co_return ended;
    }
    co_await backoff.pause();
    const auto environment = co_await services_.environments.get(stored_.sandbox);
    if (environment) environment_ = *environment;
  }
}

Task<void> ExecRun::follow_to_end() {
  auto ended = co_await wait_for_end();
  if (!ended) {
    set_failed(stored_.info,
               "the sandbox was lost while the command ran: " + ended.error().message());
    co_return;
  }
  // The wait returned the last output. If that is not all, the beginning is read.
  std::string_view tail = ended->tail;
  std::uint64_t tail_from = ended->tail_from;
  std::string head;
  if (tail_from > 0) {
    const std::size_t left_out = tail.size() - std::min(tail.size(), kExecTail);
    tail.remove_prefix(left_out);
    tail_from += left_out;
    const environment::OutputSink sink = [&head](std::uint64_t from, std::string_view bytes) {
      if (from == head.size()) head += bytes;
    };
    const OutputQuery query{.id = stored_.info.process, .max = kExecHead};
    (void)co_await environment_->processes().read(query, sink, CancelToken());
  }
  // Together, so that nobody sees an end without its output.
  set_ended(stored_.info, *ended);
  set_output(stored_.info, head, tail, tail_from);
  if (stored_.info.state == ExecState::timeout) {
    add_line(stored_.info, tool::timeout_note(stored_.spec.timeout));
  }
}

void ExecRun::finish() {
  ExecInfo& info = stored_.info;
  info.ended = Clock::now();
  if (const SandboxPtr sandbox = table_->find(stored_.sandbox)) {
    table_->remove_exec(*sandbox);
    sandbox->info().last_use = *info.ended;
    if (*info.ended - sandbox->use_written > kUseWritten) {
      sandbox->use_written = *info.ended;
      (void)table_->store().set_used(sandbox->info().id, *info.ended);
    }
  }
  environment_ = nullptr;
  starting_ = nullptr;
  changed_.notify_all();
}

}  // namespace talaria::sandboxes
