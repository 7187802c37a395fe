#include "environment/child_end.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/time_limit.h"

namespace talaria::environment {

Task<Result<bool>> ends_within(const os::ChildProcess& child, std::chrono::milliseconds patience) {
  asio::posix::stream_descriptor ended(co_await asio::this_coro::executor);
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, child.pid(), 0));
  if (pidfd < 0) co_return fail(Error::from_errno("pidfd_open"));
  ended.assign(pidfd);
  const auto waited = co_await within(patience, ended.async_wait(ended.wait_read, as_values));
  if (!waited) co_return false;
  if (std::get<0>(*waited)) co_return fail(ErrorKind::interrupted, "the wait was cancelled");
  co_return true;
}

}  // namespace talaria::environment
