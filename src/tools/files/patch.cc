#include "tools/files/patch.h"

#include <utility>

#include "base/off_loop.h"
#include "base/sha256.h"
#include "base/text.h"
#include "policy/redact.h"
#include "tools/arguments.h"
#include "tools/files/patch_call.h"

namespace talaria::tool {

json::object not_patched(std::string_view error) {
  return {{"success", false}, {"error", sanitize_utf8(error)}};
}

json::object not_allowed(json::object refusal) {
  json::object result = not_patched("");
  for (auto& [name, value] : refusal) result[name] = std::move(value);
  return result;
}

Task<bool> is_there(const FileCall& files, std::string path, const std::string& content) {
  environment::TargetPath at{std::move(path)};
  const auto found = co_await files.files().stat(std::move(at), true, true);
  if (!found || !*found) co_return false;
  co_return (*found)->sha256 ==
      co_await off_loop_if_large(content.size(), [&] { return sha256_hex(content); });
}

std::string not_verified(const std::string& path) {
  return "Post-write verification failed for " + path +
         ": the file does not hold what was written. Read it again.";
}

std::string shown_change(const FileCall& files, std::string_view bytes, bool is_secret_file) {
  std::string shown = sanitize_utf8(bytes);
  if (!files.config().redact_secrets) return shown;
  return policy::redact(shown, {.code_file = !is_secret_file});
}

Task<json::object> patch_tool(ToolCall call) {
  const std::string mode = text_argument(call.arguments, "mode", "replace");
  if (mode != "replace" && mode != "patch") {
    co_return json::object{{"error", "Unknown mode: " + mode}};
  }
  if (mode == "replace") {
    if (text_argument(call.arguments, "path").empty()) {
      co_return json::object{{"error", "path required"}};
    }
    for (const std::string_view name : {"old_string", "new_string"}) {
      const json::value* text = given(call.arguments, name);
      if (text && text->is_string()) continue;
      co_return json::object{{"error", "old_string and new_string required"}};
    }
  } else if (text_argument(call.arguments, "patch").empty()) {
    co_return json::object{{"error", "patch content required"}};
  }
  const auto files = co_await FileCall::open(call);
  if (!files) co_return json::object{{"error", files.error().message()}};
  if (mode == "replace") co_return co_await patch_replace(*files);
  co_return co_await patch_v4a(*files);
}

}  // namespace talaria::tool
