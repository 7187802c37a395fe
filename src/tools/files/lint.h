// The syntax check after every write. It does not prevent the write: the result reports what is
// wrong.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tools/files/file_call.h"

namespace talaria::tool {

// Bytes of a file that is checked; of one that was there before, too.
inline constexpr std::size_t kMaxLinted = 16u << 20;

// Whether the check of such a file uses the old content.
bool lint_compares(const std::string& path);

// Of a file that was just written. `before`: what it held, if there was one and lint_compares(),
// else null. It is not looked at if it is too large to be checked. Both outlive the call.
Task<json::object> lint(const FileCall& files, std::string path, const std::string& content,
                        const std::string* before);

}  // namespace talaria::tool
