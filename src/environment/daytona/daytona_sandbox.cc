#include "environment/daytona/daytona_sandbox.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/sha256.h"
#include "base/text.h"
#include "environment/task_lease.h"
#include "os/random.h"

namespace talaria::environment::daytona {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kStartPatience = seconds(600);  // an image may have to be built, an archive fetched
constexpr auto kEndPatience = seconds(60);     // until one that is being deleted is gone
constexpr auto kOftenFor = seconds(5);
constexpr auto kOften = milliseconds(100);
constexpr auto kSeldom = milliseconds(1000);
constexpr auto kStartPause = milliseconds(500);
constexpr auto kRefusedFor = seconds(10);  // a start, before it is believed
constexpr int kMostMakes = 4;              // of one sandbox, if it is unknown whether it was made
constexpr auto kMakePause = milliseconds(500);
constexpr int kMostLeases = 100;  // of one task
constexpr std::size_t kShownReason = 2000;
constexpr std::size_t kSuffixBytes = 4;
constexpr std::string_view kForOnce = "-once-";
constexpr std::string_view kPlace = "sandbox ";  // and its name

// Looks often at first: most changes are quick.
class Looks {
 public:
  Looks(const asio::any_io_executor& executor, seconds patience)
      : timer_(executor), begun_(Clock::now()), patience_(patience) {}

  // False: it took too long.
  Task<bool> next() {
    const auto passed = Clock::now() - begun_;
    if (passed >= patience_) co_return false;
    timer_.expires_after(passed < kOftenFor ? kOften : kSeldom);
    co_await timer_.async_wait(as_values);
    co_return true;
  }

 private:
  asio::steady_timer timer_;
  Clock::time_point begun_;
  seconds patience_;
};

// Requests to start a sandbox. An accepted one may have no visible effect for a while, and one may
// be refused because another program was first.
class Starts {
 public:
  // An error: it is refused. `client` must outlive it.
  Task<Result<void>> ask(DaytonaClient& client, std::string sandbox) {
    const auto now = Clock::now();
    if (now < next_) co_return Result<void>();
    next_ = now + kStartPause;
    const auto started = co_await client.start(std::move(sandbox));
    if (started) taken_ = true;
    const bool may_be_another = !started && started.error().kind() == ErrorKind::bad_request &&
                                (taken_ || now - begun_ < kRefusedFor);
    if (started || may_be_another) co_return Result<void>();
    co_return fail(started.error());
  }

 private:
  Clock::time_point begun_ = Clock::now();
  Clock::time_point next_ = begun_;
  bool taken_ = false;
};

std::string called(const DaytonaFacts& facts) { return std::string(kPlace) + facts.name; }

std::string in_state(const DaytonaFacts& facts) {
  return "the " + called(facts) + " of Daytona is in state '" + facts.state + "'" +
         (facts.reason.empty()
              ? ""
              : ": " + std::string(first_bytes(sanitize_utf8(facts.reason), kShownReason)));
}

std::string left_text(const DaytonaFacts& facts, const EnvironmentSpec& spec) {
  return "files that were changed in the " + called(facts) +
         " were not all brought back, so it is stopped" +
         (spec.container.persistent ? "" : ", not deleted") + ". The next command of task '" +
         spec.task + "' uses it and brings them back; `talaria env rm " + spec.task +
         " --yes` deletes it with them";
}

std::string what_is_done(const DaytonaFacts& facts) {
  return "Daytona starts the " + called(facts) +
         (facts.state == "archived" ? ", which is archived: that may take minutes" : "");
}

// A sandbox that is deleted at the end must not be used by another program.
bool is_for_once(const std::string& name) {
  const std::size_t size = kForOnce.size() + 2 * kSuffixBytes;
  return name.size() > size && name.substr(name.size() - size).starts_with(kForOnce);
}

bool is_not_found(const Error& error) { return error.kind() == ErrorKind::not_found; }

}  // namespace

LeaseFacts daytona_lease(const std::string& identity, const std::string& task,
                         const std::string& name, bool persistent) {
  return {.kind = "sandbox",
          .id = sha256_hex(identity).substr(0, kDigestShown) + "/" + name,
          .name = name,
          .target = std::string(kDaytonaTarget),
          .engine = identity,
          .task = task,
          .keep = persistent};
}

std::string DaytonaSandbox::place() const { return facts_.id.empty() ? "" : called(facts_); }

EnvironmentLimits DaytonaSandbox::limits() const {
  return {.cpu = facts_.cpu,
          .memory_mb = facts_.memory_gib * kMbPerGib,
          .disk_mb = facts_.disk_gib * kMbPerGib};
}

LeaseFacts DaytonaSandbox::lease_facts(const std::string& name) const {
  return daytona_lease(client_->identity(), spec_.task, name, spec_.container.persistent);
}

Task<Result<void>> DaytonaSandbox::acquire() {
  const auto turn = co_await turn_to_make(spec_.home, lease_facts(""), spec_.progress);
  if (!turn) co_return fail(turn.error());
  co_return co_await find_or_make();
}

Task<Result<void>> DaytonaSandbox::find_or_make() {
  for (bool again : {true, false}) {
    auto sandbox = co_await find();
    if (!sandbox) co_return fail(sandbox.error());
    const bool is_new = !*sandbox;
    if (is_new && spec_.existing) {
      co_return fail(ErrorKind::not_found, "Daytona has no sandbox of task '" + spec_.task + "'");
    }
    if (is_new) {
      auto made = co_await long_work(
          spec_.progress, "Daytona is creating a sandbox from " + config().image, make());
      if (!made) co_return fail(made.error());
      *sandbox = std::move(*made);
    }
    const DaytonaFacts facts = **sandbox;
    const bool is_idle = standing_of(facts.state) == DaytonaStanding::idle;
    const auto taken = co_await long_work(spec_.progress, what_is_done(facts), use(facts),
                                          is_idle ? FirstReport::at_once : FirstReport::later);
    if (taken) co_return Result<void>();
    if (is_new) co_await give_back(facts);
    // It was deleted while it was waited for.
    if (!again || !is_not_found(taken.error())) co_return fail(taken.error());
  }
  co_return fail(ErrorKind::unavailable, "Daytona has no sandbox for us");  // not reached
}

// What another machine or upstream Hermes made for the task is found by its name or label.
Task<Result<std::optional<DaytonaFacts>>> DaytonaSandbox::find() {
  if (spec_.place.starts_with(kPlace)) co_return co_await find_meant();
  auto leased = co_await find_leased();
  if (!leased || *leased || !spec_.container.persistent) co_return leased;
  auto named = co_await look(daytona_name(spec_.task));
  if (!named) co_return named;
  const bool is_ours = *named && ((*named)->task.empty() || (*named)->task == spec_.task);
  if (is_ours) co_return named;
  auto labelled = co_await client_->find(spec_.task);
  if (!labelled || !*labelled) co_return labelled;
  if (is_for_once((*labelled)->name)) co_return std::nullopt;
  co_return co_await look((*labelled)->id);
}

// A task may have one that is kept and others that are not.
Task<Result<std::optional<DaytonaFacts>>> DaytonaSandbox::find_meant() {
  const std::string name = spec_.place.substr(kPlace.size());
  auto found = co_await look(name);
  if (found && !*found) forget_lease(spec_.home, lease_facts(name));
  co_return found;
}

Task<Result<std::optional<DaytonaFacts>>> DaytonaSandbox::find_leased() {
  for (int leases = 0; leases < kMostLeases; ++leases) {
    const auto known = newest_lease(spec_.home, lease_facts(""));
    if (!known || known->facts.keep != spec_.container.persistent) break;
    auto found = co_await look(known->facts.name);
    if (!found || *found) co_return found;
    forget_lease(spec_.home, known->facts);
  }
  co_return std::nullopt;
}

// Nothing if there is none; one that is being deleted keeps its name until it is.
Task<Result<std::optional<DaytonaFacts>>> DaytonaSandbox::look(std::string name) {
  Looks looks(co_await asio::this_coro::executor, kEndPatience);
  for (;;) {
    auto facts = co_await client_->get(name);
    if (!facts && is_not_found(facts.error())) co_return std::nullopt;
    if (!facts) co_return fail(facts.error());
    if (standing_of(facts->state) != DaytonaStanding::gone) co_return std::move(*facts);
    if (facts->state == "destroyed") co_return std::nullopt;
    if (!co_await looks.next()) {
      co_return fail(ErrorKind::unavailable, in_state(*facts) + " for too long");
    }
  }
}

// Its name keeps it from being made twice. One that is kept has the name upstream would give it;
// others would be in the way of each other, and get one of their own.
Task<Result<DaytonaFacts>> DaytonaSandbox::make() {
  const std::string plain = daytona_name(spec_.task);
  const std::string stem = plain + (spec_.container.persistent ? "-" : std::string(kForOnce));
  const auto own_name = [&] { return stem + os::random_hex(kSuffixBytes); };
  std::string name = spec_.container.persistent ? plain : own_name();
  asio::steady_timer pause(co_await asio::this_coro::executor);
  DaytonaCreated created;
  for (int number = 1; number <= kMostMakes; ++number) {
    // The home knows of it before Daytona does: if this program is killed meanwhile, what it leaves
    // can be found.
    if (const auto held = take_lease(lease_facts(name)); !held) co_return fail(held.error());
    created = co_await client_->create(create_body(config(), spec_, name));
    if (created.sandbox) break;
    if (!created.taken && !created.unsure) {
      lease_->forget();
      lease_.reset();
      co_return fail(*created.error);
    }
    auto found = co_await look(name);
    if (!found) co_return fail(found.error());
    if (*found && (*found)->task == spec_.task) {
      created.sandbox = std::move(**found);
      break;
    }
    if (*found) {  // another task's
      lease_->forget();
      name = own_name();
    }
    pause.expires_after(number * kMakePause);
    co_await pause.async_wait(as_values);
  }
  if (!created.sandbox) co_return fail(*created.error);
  if (auto notice = disk_notice(spec_.container)) news_.push_back(std::move(*notice));
  co_return std::move(*created.sandbox);
}

Task<Result<void>> DaytonaSandbox::use(DaytonaFacts facts) {
  if (const auto held = take_lease(lease_facts(facts.name)); !held) co_return fail(held.error());
  if (!starts_) {
    facts_ = std::move(facts);
    co_return Result<void>();
  }
  auto up = co_await bring_up(std::move(facts));
  if (!up) co_return fail(up.error());
  auto daemon = co_await client_->daemon(*up);
  if (!daemon) co_return fail(daemon.error());
  daemon_ = std::move(*daemon);
  facts_ = std::move(*up);
  ++generation_;
  just_seen_ = true;
  co_return Result<void>();
}

Task<Result<DaytonaFacts>> DaytonaSandbox::bring_up(DaytonaFacts facts) {
  Looks looks(co_await asio::this_coro::executor, kStartPatience);
  Starts starts;
  for (;;) {
    switch (standing_of(facts.state)) {
      case DaytonaStanding::ready:
        co_return facts;
      case DaytonaStanding::gone:
        co_return fail(ErrorKind::not_found, in_state(facts));
      case DaytonaStanding::failed:
        co_return fail(
            facts.state == "build_failed" ? ErrorKind::bad_request : ErrorKind::unavailable,
            in_state(facts) + ". `talaria env rm " + spec_.task + " --yes` deletes it.");
      case DaytonaStanding::idle: {
        const auto started = co_await starts.ask(*client_, facts.id);
        if (!started) co_return fail(started.error());
        break;
      }
      case DaytonaStanding::on_the_way:
        break;
    }
    if (!co_await looks.next()) {
      co_return fail(ErrorKind::timed_out,
                     in_state(facts) + " after " + in_seconds(kStartPatience) + " s");
    }
    auto now = co_await client_->get(facts.id);
    if (!now) co_return fail(now.error());
    facts = std::move(*now);
  }
}

// One that we made and that is of no use.
Task<void> DaytonaSandbox::give_back(DaytonaFacts facts) {
  const auto removed = co_await client_->remove(facts.id);
  if (lease_ && (removed || is_not_found(removed.error()))) lease_->forget();
  lease_.reset();
}

Task<Result<void>> DaytonaSandbox::be_ready() {
  if (closed_) co_return was_closed();
  if (std::exchange(just_seen_, false)) co_return Result<void>();
  const DaytonaFacts before = facts_;
  auto now = co_await client_->get(before.id);
  if (!now && !is_not_found(now.error())) co_return fail(now.error());
  if (closed_) co_return was_closed();
  const bool runs = now && standing_of(now->state) == DaytonaStanding::ready;
  if (runs && starts_) co_return Result<void>();
  if (!now && lease_) lease_->forget();
  starts_ = true;
  if (const auto again = co_await acquire(); !again) co_return fail(again.error());
  just_seen_ = false;
  if (closed_) {
    (void)co_await close(false);
    co_return was_closed();
  }
  if (facts_.id != before.id) {
    news_.push_back("The " + called(before) + " of Daytona is gone, with its files; the " +
                    place() + " replaces it.");
  } else if (!runs) {
    news_.push_back("The " + called(before) +
                    " had been stopped and was started again. Its processes were lost.");
  }
  co_return Result<void>();
}

Task<Result<void>> DaytonaSandbox::close(bool remove, std::function<Task<bool>()> is_idle) {
  closed_ = true;
  const DaytonaFacts facts = std::exchange(facts_, {});
  if (lease_ && leaves_files_ && !remove) lease_->keep_for(kLeftFor);
  lease_.reset();
  if (facts.id.empty()) co_return Result<void>();
  const LeaseFacts lease = lease_facts(facts.name);
  // Nobody is to take it while it is being stopped.
  const auto turn = co_await turn_to_make(spec_.home, lease, spec_.progress);
  const bool is_wanted = !turn && turn.error().kind() == ErrorKind::unavailable;
  if (is_wanted && !remove) co_return Result<void>();  // another program is about to use it
  if (!turn && !remove) co_return fail(turn.error());
  const auto others = find_lease(spec_.home, lease.kind, lease.id);
  if (!remove && others && others->held) co_return Result<void>();
  if (!remove && is_idle && !co_await is_idle()) co_return Result<void>();
  const bool deletes = remove || (!spec_.container.persistent && !leaves_files_);
  const auto done = co_await (deletes ? client_->remove(facts.id) : client_->stop(facts.id));
  const bool is_gone = !done && is_not_found(done.error());
  if ((deletes && done) || is_gone) forget_lease(spec_.home, lease);
  if (done && leaves_files_ && !remove && spec_.progress) spec_.progress(left_text(facts, spec_));
  if (done || is_gone) co_return Result<void>();
  // It cannot be stopped if it does not run.
  if (done.error().kind() == ErrorKind::bad_request && !deletes) {
    const auto now = co_await client_->get(facts.id);
    if (now && standing_of(now->state) != DaytonaStanding::ready) co_return Result<void>();
  }
  // At the end of a program the error may not be shown.
  if (!remove && spec_.progress) {
    spec_.progress("the " + called(facts) +
                   " may keep running, and cost money: " + done.error().message());
  }
  co_return fail(done.error());
}

}  // namespace talaria::environment::daytona
