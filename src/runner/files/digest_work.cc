#include "runner/files/digest_work.h"

#include <unistd.h>

#include <cerrno>
#include <vector>

#include "runner/limits.h"

namespace talaria::runner {

std::optional<std::string> DigestWork::go_on() {
  static std::vector<char> buffer(kReadChunk);
  for (std::size_t done = 0; done < kDigestPerTurn;) {
    const ssize_t size = ::read(file_.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return "";
    if (size == 0) return digest_.hex();
    digest_.add({buffer.data(), static_cast<std::size_t>(size)});
    done += static_cast<std::size_t>(size);
  }
  return std::nullopt;
}

}  // namespace talaria::runner
