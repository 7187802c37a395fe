#include "runner/serve/place_keeper.h"

#include <sys/inotify.h>

#include <algorithm>
#include <string>

namespace talaria::runner {
namespace {

// `rm -r` of the directory takes the socket first: it must not find a new one when it comes to the
// directory itself.
constexpr auto kSettleTime = std::chrono::milliseconds(300);

// A descriptor that becomes readable when one of the paths was removed or moved, or its mode
// changed. Of a directory only itself counts, not its contents. Fails if a path does not exist, or
// the user has as many watches as the kernel allows.
Result<os::UniqueFd> watch_files(std::initializer_list<std::string> paths) {
  os::UniqueFd watch(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!watch) return fail(Error::from_errno("inotify_init1"));
  for (const std::string& path : paths) {
    // A file that is still open is not deleted when its name is: that shows in its link count.
    constexpr std::uint32_t kEvents = IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_DONT_FOLLOW;
    if (::inotify_add_watch(watch.get(), path.c_str(), kEvents) < 0) {
      return fail(Error::from_errno("inotify_add_watch " + path));
    }
  }
  return watch;
}

// Which may be moved with all that is in it.
std::string parent_of(const std::string& directory) {
  return directory.substr(0, std::max<std::size_t>(directory.rfind('/'), 1));
}

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
    auto watch = watch_files({place.socket(), place.directory, parent_of(place.directory)});
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
