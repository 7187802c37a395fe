#include "sandboxes/execs.h"

#include <algorithm>
#include <set>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/keep_alive.h"
#include "base/limits.h"
#include "base/message.h"
#include "base/off_loop.h"
#include "os/random.h"
#include "policy/redact.h"
#include "sandboxes/exec_result.h"
#include "sandboxes/exec_texts.h"
#include "sandboxes/limits.h"
#include "sandboxes/sandbox_paths.h"
#include "tools/process_service.h"

namespace talaria::sandboxes {
namespace {

// How long the end of a sandbox waits for the ends of its execs.
constexpr auto kEndPatience = std::chrono::seconds(10);
// How long a poll of an exec that is known to wait for approval takes at most.
constexpr auto kQuestionRest = std::chrono::seconds(1);

}  // namespace

Execs::Execs(asio::any_io_executor executor, tool::Services services, std::shared_ptr<void> owner,
             std::shared_ptr<SandboxTable> table)
    : executor_(std::move(executor)),
      services_(services),
      owner_(std::move(owner)),
      table_(std::move(table)) {}

Execs::~Execs() {
  if (listener_ != 0) services_.policy.approvals().approvers().leave(listener_);
}

Result<void> Execs::resume_all() {
  auto execs = table_->store().live_execs();
  if (!execs) return fail(execs.error());
  listener_ = services_.policy.approvals().approvers().listen(
      "", policy::Approvers::Role::watches,
      [weak = weak_from_this()](const ApprovalRequest& request) {
        const auto self = weak.lock();
        if (!self) return;
        if (const LivePtr live = self->find_live(request.task, request.call)) {
          live->waits_for(request);
        }
      });
  std::set<std::string> apart;
  for (host::StoredExec& exec : *execs) {
    if (!table_->find(exec.sandbox)) continue;
    if (exec.texts_apart) {
      const std::string& process = exec.info.process;
      const auto read = read_exec_texts(texts_directory(), process, exec.spec);
      if (!read) {
        exec.info.ended = std::chrono::system_clock::now();
        set_failed(exec.info, "the gateway was restarted, and the command could not be read: " +
                                  read.error().message());
        (void)table_->store().exec_ended(exec.number, exec.info, "");
        continue;
      }
      apart.insert(process);
    }
    const LivePtr live = add_live(std::move(exec));
    spawn(executor_, keep_alive(shared_from_this(), run_to_end(live, live->resume())));
  }
  remove_other_texts(texts_directory(), apart);
  return {};
}

std::string Execs::texts_directory() const { return exec_texts_directory(table_->home()); }

void Execs::forget_texts(const host::StoredExec& exec) const {
  spawn(executor_, [](std::string directory, std::string process) -> Task<void> {
    co_await off_loop([&] {
      remove_exec_texts(directory, process);
      return true;
    });
  }(texts_directory(), exec.info.process));
}

Execs::LivePtr Execs::add_live(host::StoredExec exec) {
  auto live = std::make_shared<ExecRun>(executor_, services_, table_, std::move(exec));
  live_.insert_or_assign({live->stored().sandbox, live->info().id}, live);
  table_->add_exec(*table_->find(live->stored().sandbox));
  return live;
}

Task<void> Execs::run_to_end(LivePtr live, Task<void> work) {
  co_await std::move(work);
  // Waiting requests are answered first: after a crash the next gateway finds the end again.
  asio::post(executor_, [self = shared_from_this(), live] { self->write_end(live); });
}

Execs::LivePtr Execs::find_live(const std::string& sandbox, const std::string& id) const {
  const auto found = live_.find({sandbox, id});
  return found == live_.end() ? nullptr : found->second;
}

Result<Execs::LivePtr> Execs::find_live(const ExecName& name) const {
  const auto sandbox = table_->find_running(name.owner, name.sandbox);
  if (!sandbox) return fail(sandbox.error());
  return find_live(name.sandbox, name.id);
}

Result<ExecInfo> Execs::find_ended(const std::string& sandbox, const std::string& id) {
  auto found = table_->store().find_exec(sandbox, id);
  if (!found) return fail(found.error());
  if (!*found) return fail(ErrorKind::not_found, "unknown exec");
  return std::move((*found)->info);
}

Task<Result<ExecInfo>> Execs::wait_while_live(LivePtr live, std::chrono::milliseconds wait,
                                              CancelToken gone) {
  const auto until = std::chrono::steady_clock::now() + wait;
  gone.on_cancel([weak = std::weak_ptr(live)] {
    if (const auto waited_for = weak.lock()) waited_for->changed().notify_all();
  });
  // A question is reported at once. A client that asks again while it is open gets some rest.
  const auto rest = std::chrono::steady_clock::now() + kQuestionRest;
  const bool asked_before = live->waits_for_approval();
  while (!live->ended() && !stopping_ && !gone.cancelled()) {
    const bool waits = live->waits_for_approval();
    if (waits && !asked_before) break;
    const auto end = waits ? std::min(rest, until) : until;
    if (std::chrono::steady_clock::now() >= end) break;
    co_await live->changed().wait_until(end);
  }
  gone.on_cancel({});
  co_return live->info();
}

Result<void> Execs::check_room(const std::string& owner, const TokenScope& scope) const {
  if (live_.size() + uses_ >= kMaxLiveExecs) {
    return fail(ErrorKind::limit, "this gateway has " + std::to_string(live_.size() + uses_) +
                                      " running execs, which is its limit: try again later");
  }
  const std::size_t of_owner = table_->counts(owner).execs;
  if (scope.max_execs == 0 || of_owner < scope.max_execs) return {};
  return fail(ErrorKind::limit,
              "your user has " + counted(of_owner, "running exec") + ", and this token allows " +
                  std::to_string(scope.max_execs) +
                  ": wait until one has ended. The operator can raise the limit: talaria token "
                  "limit NAME --max-execs COUNT, or gateway.max_execs for all tokens");
}

Result<Execs::Use> Execs::use(const std::string& owner, const std::string& sandbox,
                              const TokenScope& scope) {
  const auto place = table_->find_running(owner, sandbox);
  if (!place) return fail(place.error());
  if (const auto room = check_room(owner, scope); !room) return fail(room.error());
  table_->add_exec(**place);
  ++uses_;
  const auto release = [self = shared_from_this(), used = *place](void*) {
    --self->uses_;
    self->table_->remove_exec(*used);
    used->info().last_use = std::chrono::system_clock::now();
  };
  const SandboxInfo& info = (*place)->info();
  return Use{.directory = exec_directory(info, std::nullopt),
             .home = info.directory,
             .held = std::shared_ptr<void>(this, release)};
}

Task<Result<ExecInfo>> Execs::start(std::string owner, std::string sandbox, ExecSpec spec,
                                    std::chrono::milliseconds wait, CancelToken gone,
                                    TokenScope scope) {
  const auto place = table_->find_running(owner, sandbox);
  if (!place) co_return fail(place.error());
  if (const LivePtr live = find_live(sandbox, spec.id)) {
    co_return co_await wait_while_live(live, wait, std::move(gone));
  }
  // Else one that ended is found when this one is added.
  if (!check_room(owner, scope) || has_large_texts(spec)) {
    if (auto before = find_ended(sandbox, spec.id); before) co_return before;
  }
  if (const auto room = check_room(owner, scope); !room) co_return fail(room.error());
  host::StoredExec exec{.sandbox = sandbox,
                        .spec = std::move(spec),
                        .info = {.state = ExecState::queued,
                                 .process = "proc_" + os::random_hex(16),
                                 .created = std::chrono::system_clock::now()},
                        .instance = (*place)->instance};
  exec.info.id = exec.spec.id;
  exec.texts_apart = has_large_texts(exec.spec);
  if (exec.texts_apart) {
    const auto written = co_await off_loop([&, directory = texts_directory()] {
      return write_exec_texts(directory, exec.info.process, exec.spec);
    });
    if (!written) co_return fail(written.error());
    // That took time.
    if (const auto still = table_->find_running(owner, sandbox); !still) {
      forget_texts(exec);
      co_return fail(still.error());
    }
  }
  const auto number =
      co_await table_->patiently([&](host::SandboxStore& store) { return store.add_exec(exec); });
  if (exec.texts_apart && (!number || !*number)) forget_texts(exec);
  if (!number) co_return fail(number.error());
  if (!*number) {  // the same request was made before
    const LivePtr live = find_live(sandbox, exec.spec.id);
    if (live) co_return co_await wait_while_live(live, wait, std::move(gone));
    co_return find_ended(sandbox, exec.spec.id);
  }
  exec.number = **number;
  const LivePtr live = add_live(std::move(exec));
  spawn(executor_, keep_alive(shared_from_this(), run_to_end(live, live->run())));
  co_return co_await wait_while_live(live, wait, std::move(gone));
}

Task<Result<ExecInfo>> Execs::find(ExecName name, std::chrono::milliseconds wait,
                                   CancelToken gone) {
  const auto live = find_live(name);
  if (!live) co_return fail(live.error());
  if (*live) co_return co_await wait_while_live(*live, wait, std::move(gone));
  co_return find_ended(name.sandbox, name.id);
}

Result<std::vector<ExecInfo>> Execs::list(const std::string& owner, const std::string& sandbox) {
  const auto place = table_->find_running(owner, sandbox);
  if (!place) return fail(place.error());
  auto found = table_->store().execs_of(sandbox);
  if (!found) return fail(found.error());
  std::vector<ExecInfo> all;
  for (const host::StoredExec& exec : *found) {
    const LivePtr live = find_live(sandbox, exec.info.id);
    all.push_back(live ? live->info() : exec.info);
    all.back().output.clear();
  }
  return all;
}

Task<Result<ExecInfo>> Execs::cancel(ExecName name) {
  const auto live = find_live(name);
  if (!live) co_return fail(live.error());
  if (!*live) co_return find_ended(name.sandbox, name.id);
  if (!(*live)->ended()) spawn(executor_, keep_alive(*live, (*live)->kill()));
  co_return (*live)->info();
}

Task<Result<void>> Execs::signal(ExecName name, int number) {
  const auto live = find_live(name);
  if (!live) co_return fail(live.error());
  if (!*live) {
    const auto before = find_ended(name.sandbox, name.id);
    if (!before) co_return fail(before.error());
  }
  if (!*live || (*live)->ended()) co_return fail(ErrorKind::denied, "the command has ended");
  const auto environment = co_await (*live)->wait_for_start();
  if (!environment) co_return fail(ErrorKind::denied, "the command has not started");
  auto sent = co_await environment->processes().signal((*live)->info().process, number);
  if (!sent && sent.error().kind() == ErrorKind::unavailable) {
    co_return fail(ErrorKind::denied, sent.error().message());
  }
  co_return sent;
}

Task<Result<bool>> Execs::write(ExecName name, std::string data, bool end) {
  const auto live = find_live(name);
  if (!live) co_return fail(live.error());
  if (!*live) {
    const auto before = find_ended(name.sandbox, name.id);
    if (!before) co_return fail(before.error());
    co_return false;
  }
  if ((*live)->ended() || !(*live)->stored().spec.takes_input) co_return false;
  const auto environment = co_await (*live)->wait_for_start();
  if (!environment) co_return fail(ErrorKind::denied, "the command has not started");
  const std::string process = (*live)->info().process;
  const auto listed = co_await environment->processes().list({.id = process});
  if (!listed) co_return fail(listed.error());
  if (listed->empty()) co_return false;
  const auto allowed = tool::check_input(services_,
                                         {.id = process,
                                          .task = name.sandbox,
                                          .target = std::string(environment->target()),
                                          .command = (*live)->stored().spec.command,
                                          .cwd = listed->front().cwd,
                                          .unfinished_input = listed->front().unfinished_input},
                                         data);
  if (!allowed) co_return fail(allowed.error());
  co_return co_await environment->processes().write(process, std::move(data), end, CancelToken());
}

Task<Result<OutputRead>> Execs::follow(ExecName name, OutputQuery query,
                                       environment::OutputSink sink, CancelToken cancel) {
  const auto found = find_live(name);
  if (!found) co_return fail(found.error());
  if (const LivePtr& live = *found) {
    while (!live->ended() && !live->started() && !cancel.cancelled() && !stopping_) {
      co_await live->changed().wait_for(std::chrono::seconds(1));
    }
    query.id = live->info().process;
  } else {
    const auto before = find_ended(name.sandbox, name.id);
    if (!before) co_return fail(before.error());
    query.id = before->process;
  }
  if (cancel.cancelled() || stopping_) co_return fail(ErrorKind::interrupted, "cancelled");
  const auto environment = co_await services_.environments.get(name.sandbox);
  if (!environment) co_return fail(environment.error());
  query.follow = true;
  co_return co_await (*environment)->processes().read(std::move(query), std::move(sink), cancel);
}

Task<void> Execs::end_all(std::string sandbox) {
  for (const auto& [key, live] : std::map(live_)) {
    if (key.first == sandbox) co_await live->kill();
  }
  const auto until = std::chrono::steady_clock::now() + kEndPatience;
  for (const auto& [key, live] : std::map(live_)) {
    while (key.first == sandbox && !live->ended() && std::chrono::steady_clock::now() < until) {
      co_await live->changed().wait_until(until);
    }
  }
  if (is_container_target(services_.settings.target())) co_return;  // all ends with the container
  const auto environment = co_await services_.environments.get(sandbox);
  if (!environment) co_return;
  const auto processes = co_await (*environment)->processes().list({});
  if (!processes) co_return;
  for (const ProcessInfo& process : *processes) {
    if (process.task != sandbox || (!process.running && process.background_children == 0)) continue;
    (void)co_await (*environment)->processes().kill(process.id, std::string(kKillAllSource));
  }
}

void Execs::forget(const std::string& sandbox) {
  std::erase_if(live_, [&](const auto& one) { return one.first.first == sandbox; });
}

void Execs::write_ends() {
  for (const auto& [key, live] : std::map(live_)) {
    if (live->ended()) write_end(live);
  }
}

SandboxCounts Execs::counts() const {
  SandboxCounts counts;
  for (const auto& [key, live] : live_) {
    counts.execs += live->ended() ? 0 : 1;
    counts.queued += live->info().state == ExecState::queued ? 1 : 0;
  }
  return counts;
}

void Execs::stop_waiting() {
  stopping_ = true;
  for (const auto& [key, live] : live_) live->changed().notify_all();
}

// If that fails it stays in the table, and is tried again.
void Execs::write_end(const LivePtr& live) {
  const std::string shown =
      policy::redact_command(live->stored().spec.command, kMaxStoredCommandBytes);
  const auto written = table_->store().exec_ended(live->stored().number, live->info(), shown);
  if (written && live->stored().texts_apart) forget_texts(live->stored());
  const Key key(live->stored().sandbox, live->info().id);
  if (written && find_live(key.first, key.second) == live) live_.erase(key);
}

}  // namespace talaria::sandboxes
