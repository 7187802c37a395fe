#include "tools/files/content_bytes.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace talaria::tool {
namespace {

constexpr std::uint32_t kUsualMask = 022;

std::uint32_t mask_of(const FileCall& files, const LocatedFile& file) {
  if (file.umask) return *file.umask & 0777;
  const bool is_local = files.environment().target() == "local";
  return (is_local ? files.call().services.settings.caller().umask.value_or(kUsualMask)
                   : kUsualMask) &
         0777;
}

}  // namespace

Task<Result<std::string>> read_bytes(const FileCall& files, const LocatedFile& file,
                                     std::uint64_t most) {
  std::string bytes;
  bytes.reserve(std::min(file.size, most));  // to copy it as it grows would take long
  environment::TargetPath at{file.real()};
  const auto read = co_await files.files().read(
      std::move(at), 0, most + 1, [&](std::string_view data) { bytes += data; },
      files.call().cancel);
  if (!read) co_return fail(read.error());
  if (bytes.size() > most) {
    co_return fail(ErrorKind::limit, file.real() + ": it is over " + with_commas(most) +
                                         " bytes, too large for this tool");
  }
  co_return bytes;
}

std::uint32_t new_file_mode(const FileCall& files, const LocatedFile& file) {
  return 0666 & ~mask_of(files, file);
}

std::uint32_t new_directory_mode(const FileCall& files, const LocatedFile& file) {
  return 0777 & ~mask_of(files, file);
}

}  // namespace talaria::tool
