#include "front/shared_stream.h"

#include <fcntl.h>

#include <cerrno>
#include <system_error>

namespace talaria::front {

SharedStream::SharedStream(const asio::any_io_executor& executor, int fd)
    : flags_(::fcntl(fd, F_GETFL)), stream_(executor) {
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) throw std::system_error(errno, std::generic_category(), "dup");
  stream_.assign(copy);
}

void SharedStream::close() {
  if (!stream_.is_open()) return;
  ::fcntl(stream_.native_handle(), F_SETFL, flags_);
  boost::system::error_code ignored;
  stream_.close(ignored);
}

}  // namespace talaria::front
