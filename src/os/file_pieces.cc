#include "os/file_pieces.h"

#include <unistd.h>

#include <vector>

#include "base/sha256.h"
#include "os/file.h"

namespace talaria::os {

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
