#include "runner/serve/place_keeper.h"

#include "os/file_watch.h"

namespace talaria::runner {
namespace {

// `rm -r` of the directory takes the socket first: it must not find a new one when it comes to the
// directory itself.
constexpr auto kSettleTime = std::chrono::milliseconds(300);

}  // namespace

PlaceKeeper::PlaceKeeper(asio::io_context& loop, Residence& residence, Server& server)
    : residence_(residence), server_(server), removals_(loop), settled_(loop) {
  spawn(loop.get_executor(), keep());
}

void PlaceKeeper::close() {
  boost::system::error_code ignored;
  removals_.close(ignored);
  settled_.cancel();
}

Task<void> PlaceKeeper::keep() {
  const rendezvous::RunnerPlace& place = residence_.place();
  for (;;) {
    // First the watch, then the look: nothing can happen unseen between them.
    auto watch = os::watch_files({place.socket(), place.directory});
    auto restored = residence_.restore();
    if (!restored) co_return server_.retire();
    if (*restored) {
      server_.listen(std::move(**restored));
      continue;
    }
    if (!watch) co_return;  // without a watch a removal is not noticed
    removals_.assign(watch->release());
    const auto [closed] = co_await removals_.async_wait(removals_.wait_read, as_values);
    if (closed) co_return;
    removals_.close();
    settled_.expires_after(kSettleTime);
    const auto [cancelled] = co_await settled_.async_wait(as_values);
    if (cancelled) co_return;
  }
}

}  // namespace talaria::runner
