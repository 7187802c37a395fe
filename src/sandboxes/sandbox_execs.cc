// What runs in sandboxes.
#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/backoff.h"
#include "base/text.h"
#include "host/child_env.h"
#include "os/random.h"
#include "sandboxes/exec_words.h"
#include "sandboxes/kept.h"
#include "sandboxes/limits.h"
#include "sandboxes/sandbox_place.h"
#include "sandboxes/sandboxes.h"
#include "tools/run_command.h"

namespace talaria::sandboxes {
namespace {

using Clock = std::chrono::system_clock;

// Ends are kept by a runner for a while. An exec that is older than this, and not to be found, may
// have been run and forgotten: it is not started again.
constexpr auto kSurelyRemembered = std::chrono::minutes(20);
// How many that have ended a runner keeps for a gateway that is away, and how long.
constexpr std::uint64_t kKeptEnds = 1024;
constexpr auto kKeptFor = std::chrono::hours(1);
// A target that does not answer is asked again after such pauses, so often.
constexpr auto kFirstPause = std::chrono::milliseconds(200);
constexpr auto kLongestPause = std::chrono::milliseconds(10'000);
constexpr int kMostLooks = 40;
// How long to wait for one that is being started.
constexpr auto kStartPatience = std::chrono::seconds(10);
// When a sandbox was last used is written down no more often than this.
constexpr auto kUseWritten = std::chrono::seconds(10);

Error no_such_exec() { return Error(ErrorKind::not_found, "there is no such exec"); }

}  // namespace

environment::CommandSpec Sandboxes::command_of(const Sandbox& sandbox, const ExecSpec& spec) const {
  const SandboxInfo& info = sandbox.stored.info;
  environment::CommandSpec command{.command = spec.command,
                                   .session = info.id,
                                   .workdir = exec_directory(info, spec.cwd),
                                   .first_cwd = exec_directory(info, std::nullopt),
                                   .env = services_.settings.variables().child_env(),
                                   .carried_env = services_.settings.variables().carried_env(),
                                   .umask = services_.settings.caller().umask,
                                   .stdin_data = spec.stdin_data,
                                   .spill_quota = services_.settings.config()->spill_quota};
  for (std::vector<std::string>* env : {&command.env, &command.carried_env}) {
    if (!info.directory.empty()) host::set_variable(*env, "HOME", info.directory);
    for (const std::string& variable : spec.variables) {
      const std::size_t equals = variable.find('=');
      if (equals == std::string::npos) continue;
      host::set_variable(*env, std::string_view(variable).substr(0, equals),
                         std::string_view(variable).substr(equals + 1));
    }
  }
  return command;
}

environment::ProcessSpec Sandboxes::process_of(const LivePtr& live) {
  const host::StoredExec& exec = live->stored;
  environment::ProcessSpec how{
      .takes_input = exec.spec.takes_input,
      .lifespan = Lifespan::keep,
      .max_age = exec.spec.timeout,
      .session_key = exec.sandbox,
      .caps = {.running = services_.settings.config()->processes.max_running,
               .terminals = services_.settings.config()->processes.max_terminals,
               .finished = kKeptEnds,
               .retention = kKeptFor}};
  // That it may have been sent there is written down already.
  how.on_sent = [this, live](const std::string&) {
    live->stored.info.state = ExecState::running;
    live->stored.info.started = Clock::now();
    live->early = true;
    spawn(executor_, kept(shared_from_this(), ask_for_end(live)));
  };
  return how;
}

// Right behind the start, which saves a way there and back. It may be too early.
Task<void> Sandboxes::ask_for_end(LivePtr live) {
  const auto environment = live->starting;
  auto ended = co_await environment->processes().wait(
      {.id = live->info().process, .tail_limit = kExecHead + kExecTail}, CancelToken());
  live->early_end = std::move(ended);
  live->changed.notify_all();
}

Sandboxes::LivePtr Sandboxes::add_live(host::StoredExec exec) {
  auto live = std::make_shared<LiveExec>();
  live->stored = std::move(exec);
  live_.insert_or_assign({live->stored.sandbox, live->info().id}, live);
  ++sandboxes_.at(live->stored.sandbox)->live;
  return live;
}

Result<Sandboxes::LivePtr> Sandboxes::live_exec(const std::string& owner,
                                                const std::string& sandbox,
                                                const std::string& id) const {
  const auto place = own_running(owner, sandbox);
  if (!place) return fail(place.error());
  const auto found = live_.find({sandbox, id});
  return found == live_.end() ? nullptr : found->second;
}

Result<ExecInfo> Sandboxes::ended_exec(const std::string& sandbox, const std::string& id) {
  auto found = store_->find_exec(sandbox, id);
  if (!found) return fail(found.error());
  if (!*found) return fail(no_such_exec());
  return std::move((*found)->info);
}

Task<Result<ExecInfo>> Sandboxes::when_ended(LivePtr live, std::chrono::milliseconds wait,
                                             CancelToken gone) {
  const auto until = std::chrono::steady_clock::now() + wait;
  gone.on_cancel([weak = std::weak_ptr(live)] {
    if (const auto waited_for = weak.lock()) waited_for->changed.notify_all();
  });
  while (!live->ended() && !stopping_ && !gone.cancelled() &&
         std::chrono::steady_clock::now() < until) {
    co_await live->changed.wait_until(until);
  }
  gone.on_cancel({});
  co_return live->info();
}

Task<Result<ExecInfo>> Sandboxes::start(std::string owner, std::string sandbox, ExecSpec spec,
                                        std::chrono::milliseconds wait, CancelToken gone,
                                        SandboxLimits limits) {
  const auto place = own_running(owner, sandbox);
  if (!place) co_return fail(place.error());
  const auto known = live_.find({sandbox, spec.id});
  if (known != live_.end()) co_return co_await when_ended(known->second, wait, gone);
  if (auto before = ended_exec(sandbox, spec.id); before) co_return before;

  std::size_t of_owner = 0;
  for (const auto& [id, other] : sandboxes_) {
    of_owner += other->stored.info.owner == owner ? other->live : 0;
  }
  const std::size_t most = limits.execs == 0 ? kMaxLiveExecs : limits.execs;
  if (of_owner >= most || live_.size() >= kMaxLiveExecs) {
    co_return fail(ErrorKind::limit,
                   std::to_string(of_owner) + " commands run already; try again later");
  }
  host::StoredExec exec{.sandbox = sandbox,
                        .spec = std::move(spec),
                        .info = {.state = ExecState::queued,
                                 .process = "proc_" + os::random_hex(16),
                                 .created = Clock::now()}};
  exec.info.id = exec.spec.id;
  exec.instance = (*place)->instance;
  const auto number = store_->add_exec(exec);
  if (!number) co_return fail(number.error());
  if (!*number) co_return ended_exec(sandbox, exec.spec.id);
  exec.number = **number;
  const LivePtr live = add_live(std::move(exec));
  spawn(executor_, kept(shared_from_this(), run(live)));
  co_return co_await when_ended(live, wait, std::move(gone));
}

Task<Result<ExecInfo>> Sandboxes::exec(std::string owner, std::string sandbox, std::string id,
                                       std::chrono::milliseconds wait, CancelToken gone) {
  const auto live = live_exec(owner, sandbox, id);
  if (!live) co_return fail(live.error());
  if (*live) co_return co_await when_ended(*live, wait, std::move(gone));
  co_return ended_exec(sandbox, id);
}

Result<std::vector<ExecInfo>> Sandboxes::execs(const std::string& owner,
                                               const std::string& sandbox) {
  const auto place = own_running(owner, sandbox);
  if (!place) return fail(place.error());
  auto found = store_->execs_of(sandbox);
  if (!found) return fail(found.error());
  std::vector<ExecInfo> all;
  for (host::StoredExec& exec : *found) {
    const auto live = live_.find({sandbox, exec.info.id});
    all.push_back(live == live_.end() ? std::move(exec.info) : live->second->info());
    all.back().output.clear();
  }
  return all;
}

Task<Result<ExecInfo>> Sandboxes::cancel(std::string owner, std::string sandbox, std::string id) {
  const auto live = live_exec(owner, sandbox, id);
  if (!live) co_return fail(live.error());
  if (!*live) co_return ended_exec(sandbox, id);
  if (!(*live)->ended()) spawn(executor_, kept(shared_from_this(), kill(*live)));
  co_return (*live)->info();
}

Task<void> Sandboxes::kill(LivePtr live) {
  if (live->ended() || std::exchange(live->kill_asked, true)) co_return;
  live->stored.info.state = ExecState::cancelling;
  if (!live->environment) {
    live->cancel.cancel();  // begin() sees to the rest, should it be too late for that
    co_return;
  }
  (void)co_await live->environment->processes().kill(live->info().process,
                                                     std::string(kCancelSource));
}

// Null: it waits for somebody, or has ended. One that is just being started is waited for.
Task<std::shared_ptr<environment::Environment>> Sandboxes::where_it_runs(LivePtr live) {
  const auto until = std::chrono::steady_clock::now() + kStartPatience;
  const auto waits_for_somebody = [&] { return !live->info().approval.empty(); };
  while (!live->environment && !live->ended() && !waits_for_somebody() &&
         std::chrono::steady_clock::now() < until) {
    co_await live->changed.wait_until(until);
  }
  co_return live->ended() ? nullptr : live->environment;
}

Task<Result<void>> Sandboxes::signal(std::string owner, std::string sandbox, std::string id,
                                     int number) {
  const auto live = live_exec(owner, sandbox, id);
  if (!live) co_return fail(live.error());
  if (!*live) {
    const auto before = ended_exec(sandbox, id);
    if (!before) co_return fail(before.error());
  }
  if (!*live || (*live)->ended()) co_return fail(ErrorKind::denied, "it has ended already");
  const auto environment = co_await where_it_runs(*live);
  if (!environment) co_return fail(ErrorKind::denied, "it does not run");
  auto sent = co_await environment->processes().signal((*live)->info().process, number);
  if (!sent && sent.error().kind() == ErrorKind::unavailable) {
    co_return fail(ErrorKind::denied, sent.error().message());
  }
  co_return sent;
}

Task<Result<bool>> Sandboxes::write(std::string owner, std::string sandbox, std::string id,
                                    std::string data, bool end) {
  const auto live = live_exec(owner, sandbox, id);
  if (!live) co_return fail(live.error());
  if (!*live) {
    const auto before = ended_exec(sandbox, id);
    if (!before) co_return fail(before.error());
    co_return false;
  }
  if ((*live)->ended() || !(*live)->stored.spec.takes_input) co_return false;
  const auto environment = co_await where_it_runs(*live);
  if (!environment) co_return fail(ErrorKind::denied, "it does not run");
  co_return co_await environment->processes().write((*live)->info().process, std::move(data), end,
                                                    CancelToken());
}

Task<Result<OutputRead>> Sandboxes::follow(std::string owner, std::string sandbox, std::string id,
                                           OutputQuery query, environment::OutputSink sink,
                                           CancelToken cancel) {
  const auto live = live_exec(owner, sandbox, id);
  if (!live) co_return fail(live.error());
  if (*live) {
    const LivePtr kept_live = *live;
    while (!kept_live->ended() && !kept_live->environment && !cancel.cancelled() && !stopping_) {
      co_await kept_live->changed.wait_for(std::chrono::seconds(1));
    }
    query.id = kept_live->info().process;
  } else {
    const auto before = ended_exec(sandbox, id);
    if (!before) co_return fail(before.error());
    query.id = before->process;
  }
  if (cancel.cancelled() || stopping_) co_return fail(ErrorKind::interrupted, "given up");
  const auto environment = co_await services_.environments.get(sandbox);
  if (!environment) co_return fail(environment.error());
  query.follow = true;
  co_return co_await (*environment)->processes().read(std::move(query), std::move(sink), cancel);
}

// Somebody has to be asked about a command: whose it is can be told by its text alone.
void Sandboxes::asked(const ApprovalRequest& request) {
  for (const auto& [key, live] : live_) {
    ExecInfo& info = live->stored.info;
    const bool fits = key.first == request.task && info.state == ExecState::queued &&
                      info.approval.empty() && live->stored.spec.command == request.command;
    if (!fits) continue;
    info.approval = request.id;
    info.reason = "waits for approval (" + request.id + "): " + request.description;
    live->changed.notify_all();
    return;
  }
}

Task<void> Sandboxes::run(LivePtr live) {
  if (co_await begin(live)) co_await follow_to_end(live);
  finish(live);
}

// False: it has not started, and never will.
Task<bool> Sandboxes::begin(LivePtr live) {
  const auto environment = co_await services_.environments.get(live->stored.sandbox);
  const auto found = sandboxes_.find(live->stored.sandbox);
  if (found == sandboxes_.end()) {  // it was terminated, perhaps while we waited
    tell_cancelled(live->stored.info);
    co_return false;
  }
  const SandboxPtr place = found->second;
  if (!environment) {
    tell_failed(live->stored.info, environment.error().message());
    co_return false;
  }
  live->starting = *environment;
  const std::string instance = (*environment)->processes().instance();
  if (live->stored.instance != instance) {
    live->stored.instance = instance;
    (void)store_->exec_sent(live->stored.number, instance);
  }
  place->instance = instance;
  CallContext context{.task = live->stored.sandbox, .session_key = live->stored.sandbox};
  const tool::ToolCall call = tool::begin_call(services_, std::move(context), live->cancel);
  const tool::ProcessRun run = co_await tool::run_process_as(
      live->info().process, call, command_of(*place, live->stored.spec), process_of(live));
  ExecInfo& info = live->stored.info;
  info.approval.clear();
  info.reason.clear();
  if (!run.outcome) {
    const bool given_up = live->kill_asked || run.outcome.error().kind() == ErrorKind::interrupted;
    if (given_up) {
      tell_cancelled(info);
    } else {
      tell_failed(info, run.outcome.error().message(),
                  run.decision.approved ? kExecNotRun : kExecRefused);
    }
    co_return false;
  }
  live->environment = *environment;
  if (!info.started) {  // there was no link yet when it was sent
    info.started = Clock::now();
    live->stored.instance = (*environment)->processes().instance();
    (void)store_->exec_sent(live->stored.number, live->stored.instance);
  }
  if (live->kill_asked) {  // too late for the token
    info.state = ExecState::cancelling;
    (void)co_await (*environment)->processes().kill(info.process, std::string(kCancelSource));
  } else {
    info.state = ExecState::running;
  }
  live->changed.notify_all();
  co_return true;
}

// After a crash: it runs, has ended, or was never started. Only then it is started now.
Task<void> Sandboxes::resume(LivePtr live) {
  const bool was_sent = !live->stored.instance.empty();
  const std::string instance = live->stored.instance;
  Backoff backoff(kFirstPause, kLongestPause);
  for (int look = 0;; ++look) {
    Result<std::vector<ProcessInfo>> found = fail(no_such_exec());
    const auto environment = co_await services_.environments.get(live->stored.sandbox);
    if (environment) {
      found = co_await (*environment)->processes().list({.id = live->info().process});
    }
    if (found && !found->empty()) {
      live->environment = *environment;
      live->stored.info.state = ExecState::running;
      live->stored.info.started = found->front().started;
      if (found->front().running && live->stored.spec.stdin_data) co_await give_input_again(live);
      if (std::exchange(live->kill_asked, false)) co_await kill(live);
      co_await follow_to_end(live);
      break;
    }
    if (found) {
      const bool same_runner = instance == (*environment)->processes().instance();
      const bool young = Clock::now() - live->info().created < kSurelyRemembered;
      if (young && (!was_sent || same_runner)) {
        if (co_await begin(live)) co_await follow_to_end(live);
      } else {
        tell_failed(live->stored.info,
                    "the gateway was away, and the target does not know the command any more");
      }
      break;
    }
    if (look >= kMostLooks) {
      const Error& why = environment ? found.error() : environment.error();
      tell_failed(live->stored.info, "the target cannot be asked: " + why.message());
      break;
    }
    co_await backoff.pause();
  }
  finish(live);
}

// We were killed before it had all of it, perhaps. It was started, so that nothing is now; what it
// has had of its input the runner knows.
Task<void> Sandboxes::give_input_again(LivePtr live) {
  const auto place = sandboxes_.find(live->stored.sandbox);
  if (place == sandboxes_.end()) co_return;
  environment::ProcessSpec how = process_of(live);
  how.on_sent = nullptr;
  (void)co_await live->environment->processes().start_as(
      live->info().process, command_of(*place->second, live->stored.spec), std::move(how),
      CancelToken());
}

// A link that broke may come back: the process does not depend on it.
Task<Result<ProcessInfo>> Sandboxes::wait_for_end(LivePtr live) {
  while (live->early && !live->early_end) {
    co_await live->changed.wait();
  }
  if (live->early_end && *live->early_end) co_return *std::exchange(live->early_end, std::nullopt);
  Backoff backoff(kFirstPause, kLongestPause);
  for (int look = 0;; ++look) {
    auto ended = co_await live->environment->processes().wait(
        {.id = live->info().process, .tail_limit = kExecHead + kExecTail}, CancelToken());
    if (ended || ended.error().kind() == ErrorKind::not_found || look >= kMostLooks) {
      co_return ended;
    }
    co_await backoff.pause();
    const auto environment = co_await services_.environments.get(live->stored.sandbox);
    if (environment) live->environment = *environment;
  }
}

Task<void> Sandboxes::follow_to_end(LivePtr live) {
  auto ended = co_await wait_for_end(live);
  if (!ended) {
    tell_failed(live->stored.info,
                "the sandbox was lost while the command ran: " + ended.error().message());
    co_return;
  }
  const WholeOutput output = co_await whole_output(live, std::move(*ended));
  // All at once: whoever looks meanwhile is not told of an end without its output.
  tell_end(live->stored.info, output.process);
  tell_output(live->stored.info, output.head, output.tail(), output.tail_from);
}

// The end of it came with the news; its beginning is asked for if that is not all.
Task<Sandboxes::WholeOutput> Sandboxes::whole_output(LivePtr live, ProcessInfo process) {
  WholeOutput output{.tail_from = process.tail_from, .process = std::move(process)};
  const std::size_t size = output.process.tail.size();
  if (output.tail_from == 0) co_return output;
  if (size > kExecTail) {
    output.left_out = size - kExecTail;
    output.tail_from += output.left_out;
  }
  const environment::OutputSink sink = [&output](std::uint64_t from, std::string_view bytes) {
    if (from == output.head.size()) output.head += bytes;
  };
  const OutputQuery query{.id = live->info().process, .max = kExecHead};
  (void)co_await live->environment->processes().read(query, sink, CancelToken());
  co_return output;
}

void Sandboxes::finish(LivePtr live) {
  ExecInfo& info = live->stored.info;
  info.ended = Clock::now();
  const auto place = sandboxes_.find(live->stored.sandbox);
  if (place != sandboxes_.end()) {
    Sandbox& sandbox = *place->second;
    if (sandbox.live > 0) --sandbox.live;
    SandboxInfo& used = sandbox.stored.info;
    used.last_use = *info.ended;
    if (used.last_use - sandbox.use_written > kUseWritten) {
      sandbox.use_written = used.last_use;
      (void)store_->set_used(used.id, used.last_use);
    }
  }
  live->environment = nullptr;
  live->starting = nullptr;
  live->changed.notify_all();
  // Whoever waits is answered first: were we killed now, the next one would hear of it again.
  asio::post(executor_, [self = shared_from_this(), live] { self->write_end(live); });
}

// One that could not be written down stays with us.
void Sandboxes::write_end(const LivePtr& live) {
  const auto written = store_->exec_ended(live->stored.number, live->info());
  const auto kept_one = live_.find({live->stored.sandbox, live->info().id});
  if (written && kept_one != live_.end() && kept_one->second == live) live_.erase(kept_one);
}

}  // namespace talaria::sandboxes
