#include "environment/carrier/idle_runner.h"

#include <algorithm>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "environment/runner_stream.h"
#include "link/messages.h"

namespace talaria {
namespace {

// A link that was just closed at this end may still be one at the other.
constexpr int kLooks = 10;
constexpr auto kPause = std::chrono::milliseconds(100);

template <class Report, class Message>
Task<Result<Report>> ask(std::shared_ptr<LinkDriver> link, Message message) {
  const auto answer = co_await link->call(std::move(message));
  if (!answer) co_return fail(answer.error());
  co_return decode<Report>(*answer);
}

}  // namespace

Task<Result<bool>> is_runner_idle(std::shared_ptr<Carrier> carrier) {
  const auto executor = co_await asio::this_coro::executor;
  const auto link = std::make_shared<LinkDriver>(
      executor, [carrier] { return carrier->connect(); },
      LinkDriverOptions{.client = link_identity()});
  asio::steady_timer pause(executor);
  Result<bool> idle = false;
  for (int looks = 0; looks < kLooks; ++looks) {
    const auto status = co_await ask<StatusReport>(link, Status{});
    const auto list = co_await ask<ListReport>(link, List{});
    if (!status || !list) {
      idle = fail(status ? list.error() : status.error());
      break;
    }
    if (std::ranges::any_of(list->processes, &ProcessEntry::running)) break;
    idle = status->links <= 1;
    if (*idle) break;
    pause.expires_after(kPause);
    co_await pause.async_wait(as_values);
  }
  link->disconnect();
  co_return idle;
}

}  // namespace talaria
