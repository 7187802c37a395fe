#include "os/bell.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "os/file.h"

namespace talaria::os {
namespace {

// Without a reader a pipe cannot be opened for writing (ENXIO), so this tells whether one is there.
Result<UniqueFd> rope_of(const std::string& path) {
  return open_file(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
}

}  // namespace

Result<Bell> Bell::hang(std::string path) {
  if (::mkfifo(path.c_str(), 0600) != 0) return fail(Error::from_errno("mkfifo " + path));
  // Also for writing: else the end of each ringer would be an end of file.
  auto fd = open_file(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW);
  if (!fd) {
    remove_file(path);
    return fail(fd.error());
  }
  return Bell(std::move(path), std::move(*fd));
}

Bell::~Bell() {
  if (fd_) remove_file(path_);
}

void Bell::silence() const {
  std::array<char, 64> rung;
  while (::read(fd_.get(), rung.data(), rung.size()) > 0) {
  }
}

bool ring_bell(const std::string& path) {
  const auto rope = rope_of(path);
  return rope && ::write(rope->get(), "!", 1) == 1;
}

bool has_bell(const std::string& path) { return rope_of(path).has_value(); }

}  // namespace talaria::os
