#include "os/file.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/sha256.h"

namespace talaria::os {
namespace {

// 0 if we could work in it.
int directory_flaw(const std::string& path) {
  if (path.empty()) return ENOENT;
  const std::string directory = path + '/';  // anything else is none
  return ::faccessat(AT_FDCWD, directory.c_str(), X_OK, AT_EACCESS) < 0 ? errno : 0;
}

}  // namespace

Result<UniqueFd> open_file(const std::string& path, int flags, mode_t mode) {
  return open_file_at(AT_FDCWD, path, flags, mode);
}

Result<UniqueFd> open_file_at(int directory, const std::string& name, int flags, mode_t mode) {
  int fd = -1;
  do {
    fd = ::openat(directory, name.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return fail(Error::from_errno("open " + name));
  return UniqueFd(fd);
}

Result<Pipe> make_pipe(int capacity) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) < 0) return fail(Error::from_errno("pipe2"));
  Pipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
  if (capacity > 0) widen_pipe(pipe.writer.get(), capacity);
  return pipe;
}

void widen_pipe(int fd, int capacity) { ::fcntl(fd, F_SETPIPE_SZ, capacity); }

Result<UniqueFd> make_memory_file(const char* name, std::string_view content) {
  UniqueFd file(::memfd_create(name, MFD_CLOEXEC));
  if (!file) return fail(Error::from_errno("memfd_create"));
  if (const auto written = write_all(file.get(), content); !written) return fail(written.error());
  return file;
}

Result<UniqueFd> make_bounded_memory_file(const char* name, std::size_t size) {
  UniqueFd file(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return fail(Error::from_errno("memfd_create"));
  if (::ftruncate(file.get(), static_cast<off_t>(size)) < 0 ||
      ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) < 0) {
    return fail(Error::from_errno("memory file of " + std::to_string(size) + " bytes"));
  }
  return file;
}

Result<UniqueFd> open_regular_file(const std::string& path) {
  return open_regular_file(AT_FDCWD, path);
}

Result<UniqueFd> open_regular_file(int directory, const std::string& name) {
  auto file = open_file_at(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file) return file;
  struct stat info{};
  if (::fstat(file->get(), &info) < 0) return fail(Error::from_errno("stat " + name));
  if (!S_ISREG(info.st_mode)) return fail(ErrorKind::system, name + " is not a regular file");
  return file;
}

Result<void> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(fd, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return fail(Error::from_errno("write"));
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return {};
}

Result<std::string> read_whole(int fd, std::size_t limit) {
  struct stat info{};
  if (::fstat(fd, &info) < 0) return fail(Error::from_errno("fstat"));
  const auto too_long = [&] {
    return fail(ErrorKind::limit, "file is over " + std::to_string(limit) + " bytes");
  };
  if (static_cast<std::uint64_t>(info.st_size) > limit) return too_long();
  std::string content;
  // One byte more than the size says, so that the read which finds the end needs no second turn.
  std::size_t want = static_cast<std::size_t>(info.st_size > 0 ? info.st_size : 4095) + 1;
  for (;;) {
    if (content.size() > limit) return too_long();
    const std::size_t used = content.size();
    content.resize(used + want);
    const ssize_t size = ::pread(fd, content.data() + used, want, static_cast<off_t>(used));
    if (size < 0 && errno != EINTR) return fail(Error::from_errno("read"));
    content.resize(used + static_cast<std::size_t>(size > 0 ? size : 0));
    if (size == 0 || (size > 0 && static_cast<std::size_t>(size) < want)) break;
    want = 65536;
  }
  if (content.size() > limit) return too_long();
  return content;
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  const auto file = open_file(path, O_RDONLY);
  if (!file) return fail(file.error());
  std::string content;
  std::array<char, 16384> chunk;
  for (;;) {
    const ssize_t size = ::read(file->get(), chunk.data(), chunk.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return fail(Error::from_errno("read " + path));
    if (size == 0) return content;
    content.append(chunk.data(), static_cast<std::size_t>(size));
    if (content.size() > limit) {
      return fail(ErrorKind::limit, path + ": over " + std::to_string(limit) + " bytes");
    }
  }
}

bool has_content(const std::string& path, std::string_view bytes) {
  const auto file = open_file(path, O_RDONLY);
  if (!file) return false;
  std::vector<char> chunk(64 * 1024);
  for (;;) {
    const ssize_t size = ::read(file->get(), chunk.data(), chunk.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size == 0 && bytes.empty();
    const std::string_view part(chunk.data(), static_cast<std::size_t>(size));
    if (!bytes.starts_with(part)) return false;
    bytes.remove_prefix(part.size());
  }
}

std::string read_line(int fd) {
  std::string line;
  for (;;) {
    char c = 0;
    const ssize_t size = ::read(fd, &c, 1);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0 || c == '\n') return line;
    line += c;
  }
}

bool wait_readable(int fd, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() < 0) return false;
    pollfd event{fd, POLLIN, 0};
    if (::poll(&event, 1, static_cast<int>(left.count())) > 0) return true;
  }
}

Result<void> replace_file(const std::string& path, std::string_view content) {
  const std::string fresh = path + ".new";  // if we are killed here, the next one writes over it
  {
    const auto file = open_file(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    if (!file) return fail(file.error());
    if (const auto written = write_all(file->get(), content); !written) {
      ::unlink(fresh.c_str());
      return fail(written.error().kind(), path + ": " + written.error().message());
    }
  }
  if (::rename(fresh.c_str(), path.c_str()) < 0) {
    const Error error = Error::from_errno("rename to " + path);
    ::unlink(fresh.c_str());
    return fail(error);
  }
  return {};
}

void remove_file(const std::string& path) { ::unlink(path.c_str()); }

Result<void> make_private_directory(const std::string& path, std::size_t most_made) {
  struct stat info{};
  const bool is_there = ::lstat(path.c_str(), &info) == 0;
  std::size_t first = path.size();  // behind what has to be there
  for (std::size_t i = 0; i < most_made && first > 0; ++i) first = path.rfind('/', first - 1);
  first = first == std::string::npos ? 0 : first;
  for (std::size_t slash = path.find('/', first + 1); !is_there;
       slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), 0700) < 0 && errno != EEXIST) {
      return fail(Error::from_errno("cannot create the directory " + part));
    }
    if (slash == std::string::npos) break;
  }
  if (!is_there && ::lstat(path.c_str(), &info) < 0) {
    return fail(Error::from_errno("stat " + path));
  }
  if (!S_ISDIR(info.st_mode)) {
    return fail(ErrorKind::denied, path + " is not a directory; move it away");
  }
  if (info.st_uid != ::geteuid()) {
    return fail(ErrorKind::denied, path + " belongs to another user; use a directory of your own");
  }
  if ((info.st_mode & 022) != 0) {
    return fail(ErrorKind::denied,
                path +
                    ": other users can write to it, so its content cannot be trusted; "
                    "check the content, then run 'chmod 700 " +
                    path + "' or remove it");
  }
  if ((info.st_mode & 077) != 0 && ::chmod(path.c_str(), 0700) < 0) {
    return fail(Error::from_errno("chmod 0700 " + path));
  }
  return {};
}

std::string without_links(const std::string& path) {
  std::array<char, PATH_MAX> real;
  return ::realpath(path.c_str(), real.data()) == nullptr ? path : std::string(real.data());
}

Result<void> check_directory(const std::string& path) {
  const int code = directory_flaw(path);
  if (code == 0) return {};
  const ErrorKind kind = code == EACCES ? ErrorKind::denied : ErrorKind::not_found;
  return fail(Error(kind, std::strerror(code), code));
}

std::size_t bytes_waiting(int fd) {
  int waiting = 0;
  return ::ioctl(fd, FIONREAD, &waiting) == 0 ? static_cast<std::size_t>(waiting) : 0;
}

void set_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags >= 0) ::fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

void set_blocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags >= 0) ::fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
}

Result<UniqueFd> duplicate(int fd) {
  UniqueFd other(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!other) return fail(Error::from_errno("dup"));
  return other;
}

Result<void> read_pieces(int fd, const std::function<Result<void>(std::string_view)>& take) {
  std::vector<char> buffer(256 * 1024);
  for (;;) {
    const ssize_t size = ::read(fd, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return fail(Error::from_errno("read"));
    if (size == 0) return {};
    const auto taken = take({buffer.data(), static_cast<std::size_t>(size)});
    if (!taken) return taken;
  }
}

Result<void> copy_bytes(int from, int to) {
  return read_pieces(from, [to](std::string_view piece) { return write_all(to, piece); });
}

Result<std::string> digest_of(int fd) {
  Sha256 digest;
  const auto read = read_pieces(fd, [&](std::string_view piece) -> Result<void> {
    digest.add(piece);
    return {};
  });
  if (!read) return fail(read.error());
  return digest.hex();
}

}  // namespace talaria::os
