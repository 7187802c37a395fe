// StagedFile: new content that is not yet in its place. It is in a file without a name, or under a
// hidden one beside its place where the filesystem has no such files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runner/files/file_place.h"

namespace talaria::runner {

struct StagedFile {
  FilePlace place;
  os::UniqueFd file;
  std::string hidden;  // its name meanwhile; empty: it has none
  std::uint64_t size = 0;
  std::vector<std::string> made_directories;  // for it
};

// A unique name, for a file that is beside another one for a moment.
std::string hidden_name();

Result<void> open_staged(StagedFile& staged);
Result<void> append(StagedFile& staged, std::string_view bytes, bool durable);
Result<void> give_hidden_name(StagedFile& staged);

// Without a trace, the directories made for it included.
void discard(const StagedFile& staged);

struct Dress {
  const FilePlace* like = nullptr;      // whose mode, owner and attributes it gets, if it is a file
  std::optional<std::uint32_t> mode{};  // wins over that
  std::int64_t mtime_ns = 0;            // 0: as it is
};
// As the file in its place should be. What the filesystem or the user's rights do not allow of
// owner and attributes is left out.
Result<void> dress(const StagedFile& staged, const Dress& how);

// What is in place now must be what the writer thinks it replaces: a digest, or, empty, nothing.
Result<void> check_expected(const FilePlace& place, const std::optional<std::string>& expected);
// A file, a link or nothing.
Result<void> check_replaceable(const FilePlace& place);

}  // namespace talaria::runner
