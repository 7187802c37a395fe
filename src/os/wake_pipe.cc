#include "os/wake_pipe.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "os/file.h"

namespace talaria::os {
namespace {

// A pipe without a reader cannot be opened for writing (ENXIO), so this shows whether one is there.
Result<UniqueFd> open_writer(const std::string& path) {
  return open_file(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
}

}  // namespace

Result<WakePipe> WakePipe::create(std::string path) {
  if (::mkfifo(path.c_str(), 0600) != 0) return fail(Error::from_errno("mkfifo " + path));
  // Also for writing: else the end of each writer would be an end of file.
  auto fd = open_file(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW);
  if (!fd) {
    remove_file(path);
    return fail(fd.error());
  }
  return WakePipe(std::move(path), std::move(*fd));
}

WakePipe::~WakePipe() {
  if (fd_) remove_file(path_);
}

void WakePipe::drain() const {
  std::array<char, 64> bytes;
  while (::read(fd_.get(), bytes.data(), bytes.size()) > 0) {
  }
}

bool wake_waiter(const std::string& path) {
  const auto writer = open_writer(path);
  return writer && ::write(writer->get(), "!", 1) == 1;
}

bool has_waiter(const std::string& path) { return open_writer(path).has_value(); }

}  // namespace talaria::os
