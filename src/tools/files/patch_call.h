// The two modes of the patch tool, and what they share.
#pragma once

#include <string>
#include <string_view>

#include "tools/files/file_call.h"

namespace talaria::tool {

// How often an edit is made again on what somebody else wrote meanwhile.
inline constexpr int kMostTries = 20;

json::object not_patched(std::string_view error);
// The same of what policy did not allow.
json::object not_allowed(json::object refusal);

// Whether the file holds this, now that it was written.
Task<bool> is_there(const FileCall& files, std::string path, const std::string& content);
std::string not_verified(const std::string& path);

// A diff, or a part of a file in an error: as a model may see it.
std::string shown_change(const FileCall& files, std::string_view bytes, bool is_secret_file);

Task<json::object> patch_replace(const FileCall& files);
Task<json::object> patch_v4a(const FileCall& files);

}  // namespace talaria::tool
