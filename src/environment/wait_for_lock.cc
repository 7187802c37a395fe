#include "environment/wait_for_lock.h"

#include "base/backoff.h"
#include "base/text.h"
#include "os/file_lock.h"

namespace talaria::environment {
namespace {

constexpr auto kFirstPause = std::chrono::milliseconds(5);
constexpr auto kLongestPause = std::chrono::milliseconds(200);

}  // namespace

Task<Result<os::UniqueFd>> wait_for_lock(std::string path, std::chrono::milliseconds patience) {
  Backoff backoff(kFirstPause, kLongestPause);
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    auto lock = os::try_lock_file(path);
    if (!lock) co_return fail(lock.error());
    if (*lock) co_return std::move(**lock);
    if (std::chrono::steady_clock::now() >= until) {
      co_return fail(ErrorKind::timed_out, path + " was held by " + os::describe_lock(path) +
                                               " for " + in_seconds(patience) + " s");
    }
    co_await backoff.pause();
  }
}

Task<Result<PassingLock>> wait_for_passing_lock(std::string path,
                                                std::chrono::milliseconds patience) {
  auto lock = co_await wait_for_lock(path, patience);
  if (!lock) co_return fail(lock.error());
  co_return PassingLock(std::move(*lock), std::move(path));
}

}  // namespace talaria::environment
