// Pipe: both ends of a pipe, for tests that stand in for a client. Both are closed with it.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace talaria::test {

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_reader();
    close_writer();
  }

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_reader() { close_end(0); }
  void close_writer() { close_end(1); }

  bool write(std::string_view text) const {
    return ::write(writer(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }

  // What is there now, without waiting for more.
  std::string read_available() const {
    const int flags = ::fcntl(reader(), F_GETFL);
    ::fcntl(reader(), F_SETFL, flags | O_NONBLOCK);
    std::string text;
    std::array<char, 65536> chunk;
    for (;;) {
      const ssize_t size = ::read(reader(), chunk.data(), chunk.size());
      if (size <= 0) break;
      text.append(chunk.data(), static_cast<std::size_t>(size));
    }
    ::fcntl(reader(), F_SETFL, flags);
    return text;
  }

 private:
  void close_end(std::size_t end) {
    if (const int fd = std::exchange(ends_[end], -1); fd >= 0) ::close(fd);
  }

  std::array<int, 2> ends_{-1, -1};
};

// A regular file in memory that holds `text`, at its beginning. The caller closes it.
inline int memory_file(std::string_view text) {
  const int fd = ::memfd_create("test", MFD_CLOEXEC);
  if (::write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) return -1;
  ::lseek(fd, 0, SEEK_SET);
  return fd;
}

}  // namespace talaria::test
