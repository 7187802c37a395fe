// Archives that clients send, in any pieces: the same entries are found as in one piece.

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/input.h"
#include "tools/files/tar_names.h"

namespace talaria {
namespace {

std::vector<std::string> entries_of(std::string_view bytes, std::size_t piece) {
  std::vector<std::string> found;
  tool::TarNames names([&found](const tool::TarEntry& one) {
    found.push_back(one.name + '\0' + one.link_to);
    return Result<void>();
  });
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    if (!names.feed(bytes.substr(at, piece))) break;
  }
  return found;
}

}  // namespace
}  // namespace talaria

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = talaria::entries_of(bytes, size + 1);
  talaria::require(talaria::entries_of(bytes, 7) == whole);
  return 0;
}
