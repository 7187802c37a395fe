#include "host/environment_life.h"

#include <algorithm>
#include <utility>

#include <boost/asio/steady_timer.hpp>

#include "base/limits.h"
#include "base/run_all.h"

namespace talaria::host {
namespace {

using Clock = std::chrono::system_clock;

constexpr auto kLongestPause = std::chrono::seconds(60);

// Often enough that a short lifetime means something.
std::chrono::milliseconds pause_for(std::chrono::milliseconds lifetime) {
  return std::clamp<std::chrono::milliseconds>(lifetime / 4, std::chrono::milliseconds(100),
                                               kLongestPause);
}

}  // namespace

// Between us and the coroutine that looks after them; either may outlive the other.
struct EnvironmentLife::Alarm {
  asio::steady_timer* timer = nullptr;  // the coroutine's own; null: it is gone
  bool over = false;                    // we are
};

EnvironmentLife::EnvironmentLife(std::shared_ptr<EnvironmentTable> table, Options options)
    : table_(std::move(table)), options_(std::move(options)) {
  table_->on_late([this](std::string id, EnvironmentTable::Taken taken) {
    retired_.push_back({std::move(id), std::move(taken)});
  });
}

EnvironmentLife::~EnvironmentLife() {
  table_->on_late(nullptr);
  if (!alarm_) return;
  alarm_->over = true;
  if (alarm_->timer) alarm_->timer->cancel();
}

void EnvironmentLife::begin(const asio::any_io_executor& executor) {
  if (alarm_ && alarm_->timer) return;
  alarm_ = std::make_shared<Alarm>();
  spawn(executor, look_after(this, alarm_));
}

Task<void> EnvironmentLife::look_after(EnvironmentLife* life, std::shared_ptr<Alarm> alarm) {
  struct Timer {
    Timer(const asio::any_io_executor& executor, std::shared_ptr<Alarm> its_alarm)
        : timer(executor), alarm(std::move(its_alarm)) {
      alarm->timer = &timer;
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() { alarm->timer = nullptr; }

    asio::steady_timer timer;
    std::shared_ptr<Alarm> alarm;
  } pause(co_await asio::this_coro::executor, alarm);
  while (!alarm->over) {
    pause.timer.expires_after(pause_for(life->options_.lifetime));
    co_await pause.timer.async_wait(as_values);
    if (alarm->over) co_return;
    co_await life->sweep();
  }
}

Task<void> EnvironmentLife::sweep() {
  const auto alarm = alarm_;  // over: we are gone, whatever we waited for
  for (const std::string& id : table_->idle_since(Clock::now() - options_.lifetime)) {
    const bool busy = options_.is_busy && co_await options_.is_busy(id);
    if (alarm && alarm->over) co_return;
    if (busy) {
      table_->touch(id);
    } else {
      retire(id);
    }
  }
  std::vector<Retired> free;
  std::erase_if(retired_, [&](Retired& one) {
    if (*one.taken.lent > 0) return false;
    free.push_back(std::move(one));
    return true;
  });
  for (Retired& one : free) {
    (void)co_await close_one(std::move(one.id), std::move(one.taken.environment), false);
    if (alarm && alarm->over) co_return;
  }
}

void EnvironmentLife::retire(const std::string& id) {
  EnvironmentTable::Taken taken = table_->take(id);
  if (taken.environment) retired_.push_back({id, std::move(taken)});
}

Task<Result<void>> EnvironmentLife::close(std::string id, bool remove) {
  EnvironmentTable::Taken taken = table_->take(id);
  if (!taken.environment) {
    co_return fail(ErrorKind::not_found, "unknown environment '" + id + "'");
  }
  co_return co_await close_one(std::move(id), std::move(taken.environment), remove);
}

Task<EnvironmentLife::Closed> EnvironmentLife::close_all(bool remove) {
  Closed closed;
  for (const EnvironmentInfo& one : table_->list()) retire(one.id);
  std::vector<Retired> all = std::exchange(retired_, {});
  std::vector<Job> jobs;
  for (Retired& one : all) {
    jobs.emplace_back([this, &one, &closed, remove] { return close_counted(one, remove, closed); });
  }
  co_await run_all(std::move(jobs), kMostClosedAtOnce);
  co_return closed;
}

Task<void> EnvironmentLife::close_counted(Retired& one, bool remove, Closed& closed) {
  const auto done = co_await close_one(one.id, std::move(one.taken.environment), remove);
  if (done) {
    ++closed.count;
  } else {
    closed.errors.emplace_back(done.error().kind(),
                               "environment '" + one.id + "': " + done.error().message());
  }
}

Task<Result<void>> EnvironmentLife::close_one(std::string id,
                                              std::shared_ptr<environment::Environment> environment,
                                              bool remove) {
  if (options_.before_close) co_await options_.before_close(std::move(id), environment);
  co_return co_await environment->close(remove);
}

}  // namespace talaria::host
