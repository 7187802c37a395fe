#include "os/random.h"

#include <sys/random.h>

#include <cerrno>
#include <system_error>

#include "base/text.h"

namespace talaria::os {

void fill_random(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::getrandom(bytes.data(), bytes.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) {
      throw std::system_error(errno, std::generic_category(),
                              "getrandom: the kernel gives no random bytes");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(size));  // a signal may cut a long one short
  }
}

std::string random_hex(std::size_t bytes) {
  std::string random(bytes, '\0');
  fill_random(std::as_writable_bytes(std::span(random)));
  return to_hex(random);
}

std::string random_uuid() {
  std::string text = random_hex(16);
  text[12] = '4';
  text[16] = "89ab"[static_cast<unsigned char>(text[16]) % 4];
  for (const std::size_t at : {8, 13, 18, 23}) text.insert(at, 1, '-');
  return text;
}

}  // namespace talaria::os
