#include "environment/carrier/idle_runner.h"

#include <algorithm>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "environment/end_runner.h"
#include "environment/runner_stream.h"
#include "link/messages.h"

namespace talaria::environment::carrier {
namespace {

// A link that was just closed at this end may still be one at the other.
constexpr int kLooks = 10;
constexpr auto kPause = std::chrono::milliseconds(100);

}  // namespace

Task<Result<bool>> is_runner_idle(std::shared_ptr<Carrier> carrier) {
  const auto executor = co_await asio::this_coro::executor;
  const auto link = std::make_shared<link::LinkDriver>(
      executor, [carrier] { return carrier->connect(); },
      link::LinkDriverOptions{.client = link_identity()});
  asio::steady_timer pause(executor);
  Result<bool> idle = false;
  for (int looks = 0; looks < kLooks; ++looks) {
    const auto status = co_await ask<link::StatusReport>(link, link::Status{});
    const auto list = co_await ask<link::ListReport>(link, link::List{});
    if (!status || !list) {
      idle = fail(status ? list.error() : status.error());
      break;
    }
    if (std::ranges::any_of(list->processes, &link::ProcessEntry::running)) break;
    idle = status->links <= 1;
    if (*idle) break;
    pause.expires_after(kPause);
    co_await pause.async_wait(as_values);
  }
  link->disconnect();
  co_return idle;
}

Task<Result<bool>> is_runner_idle(CarrierOptions options) {
  options.lifetime = std::chrono::seconds(1);
  const auto executor = co_await asio::this_coro::executor;
  co_return co_await is_runner_idle(std::make_shared<Carrier>(executor, std::move(options)));
}

}  // namespace talaria::environment::carrier
