#include "environment/modal/modal_sandbox.h"

#include <algorithm>
#include <charconv>

#include "environment/home_mark.h"
#include "environment/modal/end_sandbox.h"
#include "environment/modal/modal_image.h"
#include "environment/modal/sandbox_name.h"
#include "environment/modal/snapshot_store.h"
#include "environment/task_lease.h"

namespace talaria::environment::modal {
namespace {

using std::chrono::seconds;
using Clock = std::chrono::system_clock;

constexpr const char* kApp = "hermes-agent";
constexpr std::int64_t kStartLimit = 300;  // seconds
// Before its time is up: what a snapshot takes, and some more. Of a short life, half.
constexpr auto kEndMargin = seconds(120);

// A default size of the disk is not passed on: Modal has its own.
EnvironmentLimits limits_of(const ContainerConfig& container) {
  return {.cpu = container.cpu,
          .memory_mb = container.memory_mb,
          .disk_mb = container.disk_is_set ? container.disk_mb : 0};
}

json::object create_request(const ModalConfig& config, const EnvironmentSpec& spec,
                            json::object image) {
  json::object request{{"app", kApp},
                       {"image", std::move(image)},
                       {"command", {"sleep", "infinity"}},
                       {"timeout_s", config.life.count()},
                       {"start_limit_s", kStartLimit}};
  // A sandbox without persistent files is only ours: it needs no name.
  if (spec.container.persistent) {
    request["name"] = sandbox_name(spec.task, home_mark(spec.home));
  }
  const EnvironmentLimits limits = limits_of(spec.container);
  if (limits.cpu > 0) request["cpu"] = limits.cpu;
  if (limits.memory_mb > 0) request["memory_mb"] = limits.memory_mb;
  if (limits.disk_mb > 0) request["disk_mb"] = limits.disk_mb;
  return request;
}

// What a lease remembers: when its time is up, as seconds since 1970.
std::string end_text(Clock::time_point end) {
  return std::to_string(std::chrono::duration_cast<seconds>(end.time_since_epoch()).count());
}

std::optional<Clock::time_point> end_of(const LeaseFacts& facts) {
  std::int64_t count = 0;
  const char* const end = facts.extra.data() + facts.extra.size();
  const auto [rest, error] = std::from_chars(facts.extra.data(), end, count);
  if (error != std::errc() || rest != end) return std::nullopt;
  return Clock::time_point(seconds(count));
}

std::string why_over(const SandboxState& state, seconds life) {
  const std::string said = state.message.empty() ? "" : ": " + state.message;
  if (state.result == "TIMEOUT") {
    return "its " + std::to_string(life.count()) + " s were up (TERMINAL_MODAL_SANDBOX_TIMEOUT)" +
           said;
  }
  if (state.result == "TERMINATED") return "it was terminated" + said;
  if (state.result == "NOT_FOUND") return "Modal no longer knows it" + said;
  if (state.result == "IDLE_TIMEOUT") return "it was idle for too long" + said;
  return (state.result.empty() ? "Modal does not say why" : "Modal says " + state.result) + said;
}

// Not if Modal does not answer: a snapshot that is forgotten is lost.
bool is_image_gone(const ModalFailure& failure) {
  return failure.call == "ImageFromId" && failure.error.kind() == ErrorKind::not_found;
}

std::string left_text(const LeaseFacts& facts) {
  return "files that were changed in sandbox " + facts.id +
         " were not all brought back, so it keeps running and costs money until its time is up. "
         "The next command of task '" +
         facts.task + "' uses it and brings them back; `talaria env rm " + facts.task +
         " --yes` ends it without them";
}

std::unexpected<Error> cannot(const std::string& what, const Error& error) {
  return fail(error.kind(), what + ": " + error.message());
}

}  // namespace

LeaseFacts ModalSandbox::lease_facts(const std::string& id) const {
  return {.kind = std::string(kSandboxLease),
          .id = id,
          .name = id,
          .target = spec_.target,
          .engine = program_.account().identity(),
          .task = spec_.task,
          .keep = spec_.container.persistent,
          .extra = end_text(Clock::now() + config_.life)};
}

void ModalSandbox::report(const std::string& text) const {
  if (spec_.progress) spec_.progress(text);
}

EnvironmentLimits ModalSandbox::limits() const { return limits_of(spec_.container); }

Task<Result<void>> ModalSandbox::acquire() {
  const auto turn = co_await turn_to_make(spec_.home, lease_facts(""), spec_.progress);
  if (!turn) co_return fail(turn.error());
  co_return co_await find_or_make();
}

// A sandbox whose state is unknown is not replaced: the task would have two.
Task<Result<void>> ModalSandbox::find_or_make() {
  const auto known = co_await find_by_lease();
  if (!known) co_return fail(known.error());
  if (*known) co_return Result<void>();
  if (!spec_.existing) co_return co_await make();
  const auto found = co_await find_by_name();
  if (!found) co_return fail(found.error());
  if (*found) co_return Result<void>();
  co_return fail(ErrorKind::not_found, "no sandbox of task '" + spec_.task + "' is known here");
}

Task<Result<bool>> ModalSandbox::find_by_lease() {
  while (const auto newest = newest_lease(spec_.home, lease_facts(""))) {
    const auto state = co_await program_.look(newest->facts.id);
    if (!state) {
      co_return cannot("the state of sandbox " + newest->facts.id + " is unknown",
                       state.error().error);
    }
    if (!state->running) {
      forget_lease(spec_.home, newest->facts);
      continue;
    }
    if (const auto adopted = adopt(newest->facts.id); !adopted) co_return fail(adopted.error());
    co_return true;
  }
  co_return false;
}

// One that was made by a program that ended before it recorded the lease.
Task<Result<bool>> ModalSandbox::find_by_name() {
  if (!spec_.container.persistent) co_return false;
  const std::string name = sandbox_name(spec_.task, home_mark(spec_.home));
  const auto found = co_await program_.find(kApp, name);
  if (!found) co_return cannot("the sandbox " + name + " cannot be found", found.error().error);
  if (!*found) co_return false;
  if (const auto adopted = adopt(**found); !adopted) co_return fail(adopted.error());
  co_return true;
}

Task<ModalResult<MadeSandbox>> ModalSandbox::make_from(json::object image) {
  const std::string what = image.contains("id")
                               ? "Modal is creating a sandbox"
                               : "Modal is creating a sandbox from " + config_.image;
  auto making = program_.create(create_request(config_, spec_, std::move(image)));
  co_return co_await long_work(spec_.progress, what, std::move(making));
}

// From the snapshot, if there is one; from the image if that is gone at Modal.
Task<Result<void>> ModalSandbox::make() {
  const auto base = modal_image(config_.image);
  if (!base) co_return fail(base.error());
  std::optional<std::string> snapshot;
  if (spec_.container.persistent) snapshot = find_modal_snapshot(spec_.home, spec_.task);
  auto made = co_await make_from(snapshot ? json::object{{"id", *snapshot}} : *base);
  if (!made && snapshot && is_image_gone(made.error())) {
    (void)co_await drop_modal_snapshot(spec_.home, spec_.task, *snapshot);
    news_.push_back("The files of this task are lost: Modal does not have their snapshot " +
                    *snapshot + " any more (it keeps one for 30 days). The sandbox begins anew.");
    snapshot.reset();
    made = co_await make_from(*base);
  }
  if (!made && made.error().status == "ALREADY_EXISTS") {
    const auto found = co_await find_by_name();
    if (!found) co_return fail(found.error());
    if (*found) co_return Result<void>();
    made = co_await make_from(snapshot ? json::object{{"id", *snapshot}} : *base);  // over by now
  }
  if (!made) co_return cannot("failed to create a sandbox", made.error().error);
  // In today's form from now on.
  if (snapshot) (void)co_await store_modal_snapshot(spec_.home, spec_.task, *snapshot);
  std::ranges::copy(spec_.notices, std::back_inserter(news_));
  const auto adopted = adopt(made->sandbox);
  // Nobody would find one that is not written down, and it has nothing in it yet.
  if (!adopted) (void)co_await program_.terminate(made->sandbox);
  co_return adopted;
}

Result<void> ModalSandbox::adopt(const std::string& id) {
  if (const auto taken = take_lease(lease_facts(id)); !taken) return taken;
  id_ = id;
  watch_its_end();
  return {};
}

// Modal ends a sandbox when its time is up, even if commands run in it. Its files would be lost, so
// a snapshot is made shortly before.
void ModalSandbox::watch_its_end() {
  if (alarm_) alarm_->cancel();
  if (!spec_.container.persistent) return;
  const auto end = end_of(lease_->facts()).value_or(Clock::now() + config_.life);
  const auto margin = std::min<Clock::duration>(kEndMargin, config_.life / 2);
  alarm_ = std::make_shared<asio::steady_timer>(executor_);
  alarm_->expires_after(std::max<Clock::duration>(end - margin - Clock::now(), seconds(0)));
  spawn(executor_, keep_in_time(weak_from_this(), id_, alarm_));
}

Task<void> ModalSandbox::keep_in_time(std::weak_ptr<ModalSandbox> weak, std::string id,
                                      std::shared_ptr<asio::steady_timer> alarm) {
  const auto [cancelled] = co_await alarm->async_wait(as_values);
  const auto self = weak.lock();
  const auto is_ours = [&] { return !self->closed_ && self->id_ == id; };
  if (cancelled || !self || !is_ours()) co_return;
  // The end of the sandbox also stores or forgets them: the last one must win.
  const LeaseFacts facts = self->lease_facts(id);
  const auto turn = co_await turn_to_make(self->spec_.home, facts, nullptr);
  if (!is_ours()) co_return;
  Result<void> stored = turn ? Result<void>() : fail(turn.error());
  if (turn) stored = co_await keep_files(self->program_, self->spec_.home, facts);
  if (stored) co_return;
  self->news_.push_back("Modal is about to end the sandbox, and " + stored.error().message());
}

Task<Result<bool>> ModalSandbox::replace_if_over() {
  const std::string gone = id_;
  if (closed_ || gone.empty()) co_return was_closed();
  const auto state = co_await program_.look(gone);
  if (!state) co_return fail(state.error().error);
  if (state->running) co_return false;
  if (id_ != gone) co_return true;  // another call replaced it meanwhile
  const std::string why = why_over(*state, config_.life);
  if (lease_) lease_->forget();
  lease_.reset();
  if (alarm_) alarm_->cancel();
  // It stays ours until there is another: if none can be made now, the next call tries again.
  if (const auto again = co_await acquire(); !again) {
    co_return cannot("sandbox " + gone + " is over (" + why + ")", again.error());
  }
  if (closed_) {
    (void)co_await close(false);
    co_return was_closed();
  }
  const bool has_files =
      spec_.container.persistent && find_modal_snapshot(spec_.home, spec_.task).has_value();
  news_.push_back("The sandbox " + gone + " is over: " + why + ". The " + place() +
                  " replaces it. Its processes are lost, and " +
                  (has_files ? "what was changed since its last snapshot." : "so are its files."));
  co_return true;
}

Task<Result<void>> ModalSandbox::close(bool remove) {
  closed_ = true;
  if (alarm_) alarm_->cancel();
  const std::string id = std::exchange(id_, {});
  auto lease = std::exchange(lease_, std::nullopt);
  if (id.empty()) co_return Result<void>();
  LeaseFacts facts = lease ? lease->facts() : lease_facts(id);
  if (lease) lease->touch();
  const bool leaves = leaves_files_ && !remove && !spec_.container.persistent;
  if (leaves && co_await runs(id)) {
    if (lease) lease->keep_for(kLeftFor);
    report(left_text(facts));
    co_return Result<void>();
  }
  lease.reset();
  // Nobody is to find it while it ends.
  const auto turn = co_await turn_to_make(spec_.home, facts, spec_.progress);
  if (!turn) co_return fail(turn.error());
  if (!remove) co_return co_await close_unneeded(std::move(facts));
  facts.keep = false;
  if (const auto ended = co_await end_sandbox(program_, spec_.home, facts); !ended) {
    co_return fail(ended.error());
  }
  co_return co_await forget_modal_snapshot(spec_.home, spec_.task);
}

// As far as Modal can be asked.
Task<bool> ModalSandbox::runs(std::string id) {
  const auto state = co_await program_.look(std::move(id));
  co_return !state || state->running;
}

// Processes that run in it keep it, but its files are safe from then on.
Task<Result<void>> ModalSandbox::close_unneeded(LeaseFacts facts) {
  const auto known = find_lease(spec_.home, kSandboxLease, facts.id);
  if (!known || known->held) co_return Result<void>();  // others have ended it, or use it
  facts.keep = spec_.container.persistent;
  // Without a runner nothing outlives its command.
  Result<bool> idle = true;
  if (!spec_.plain) idle = co_await is_sandbox_idle(program_, facts.id);
  const bool may_be_at_work = idle ? !*idle : facts.keep && co_await runs(facts.id);
  Result<void> done;
  if (!may_be_at_work) {
    done = co_await end_sandbox(program_, spec_.home, facts);
  } else if (facts.keep) {
    done = co_await keep_files(program_, spec_.home, facts);
  }
  if (may_be_at_work && !idle) {
    report("it is unknown whether processes run in sandbox " + facts.id + " (" +
           idle.error().message() + "), so it keeps running and costs money: `talaria env rm " +
           facts.task + "` ends it");
  }
  // At the end of a program the error may not be shown.
  if (!done) report("Modal: " + done.error().message());
  co_return done;
}

}  // namespace talaria::environment::modal
