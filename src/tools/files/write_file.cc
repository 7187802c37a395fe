#include "tools/files/write_file.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/off_loop.h"
#include "base/text.h"
#include "environment/whole_file.h"
#include "tools/arguments.h"
#include "tools/files/content_bytes.h"
#include "tools/files/file_approval.h"
#include "tools/files/file_call.h"
#include "tools/files/lint.h"
#include "tools/files/read_file.h"

namespace talaria::tool {
namespace {

constexpr std::size_t kLineEndingChars = 4096;  // of the old file, to find its line endings

struct WriteRequest {
  std::string path;
  std::string content;
};

Result<WriteRequest> parse_write(const json::object& arguments) {
  const auto wrong = [](std::string message) {
    return fail(ErrorKind::bad_request, "write_file: " + std::move(message));
  };
  const json::value* path = given(arguments, "path");
  if (!path || !path->is_string() || trim(path->get_string()).empty()) {
    return wrong("missing required field 'path'. Pass the path of the file to write.");
  }
  const json::value* content = arguments.if_contains("content");
  if (!content) {
    return wrong(
        "missing required field 'content'. The call may have been cut off: send it again with all "
        "of the content, or write the file in smaller parts. Pass an empty string for an empty "
        "file.");
  }
  if (!content->is_string()) {
    return wrong("'content' must be a string, got " + std::string(python_type_name(*content)) +
                 ".");
  }
  const std::string_view text = content->get_string();
  if (text.contains(kUnchangedText) && text.size() <= 2 * kUnchangedText.size()) {
    return fail(ErrorKind::bad_request,
                "Refusing to write internal read_file status text as file content. Read the file "
                "again, and write the intended content.");
  }
  return WriteRequest{std::string(path->get_string()), std::string(text)};
}

json::object not_written(std::string_view error, const LocatedFile& file) {
  return {{"bytes_written", 0},
          {"dirs_created", false},
          {"error", error},
          {"resolved_path", sanitize_utf8(file.real())}};
}

std::string with_crlf(std::string_view text) {
  std::string converted;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n' && (at == 0 || text[at - 1] != '\r')) converted += '\r';
    converted += text[at];
  }
  return converted;
}

// As the old file's lines end, and with its byte order mark.
std::string like_before(std::string content, std::string_view before) {
  const std::string_view head = before.substr(0, kLineEndingChars * kMaxUtf8Bytes);
  const std::string shown = sanitize_utf8(head);
  if (first_chars(shown, kLineEndingChars).contains("\r\n")) content = with_crlf(content);
  if (head.starts_with(kBom) && !content.starts_with(kBom)) content.insert(0, kBom);
  return content;
}

// What the file held: all of it if its syntax is going to be compared, else its beginning.
Task<std::string> read_before(const FileCall& files, const LocatedFile& file) {
  std::string before;
  if (!file.is_regular) co_return before;
  environment::TargetPath at{file.real()};
  const std::uint64_t most =
      lint_compares(file.real()) ? kMaxLinted + 1 : kLineEndingChars * kMaxUtf8Bytes;
  const auto read = co_await files.files().read(
      std::move(at), 0, most, [&](std::string_view data) { before += data; }, files.call().cancel);
  if (!read) before.clear();
  co_return before;
}

Task<Result<environment::FileInfo>> put(const FileCall& files, const LocatedFile& file,
                                        std::shared_ptr<const std::string> content) {
  environment::FileToWrite write = environment::whole_file({file.real()}, std::move(content));
  write.parents = new_directory_mode(files, file);
  if (!file.found) write.mode = new_file_mode(files, file);
  std::vector<environment::FileToWrite> one;
  one.push_back(std::move(write));
  auto written = co_await files.files().write(std::move(one), files.call().cancel);
  co_return std::move(written.front());
}

Task<json::object> write_located(const FileCall& files, const LocatedFile& file,
                                 std::string wanted) {
  const std::string warning = files.warning(file);
  const std::string before = co_await read_before(files, file);
  const auto content = co_await off_loop_if_large(wanted.size(), [&] {
    return std::make_shared<const std::string>(like_before(std::move(wanted), before));
  });
  const auto written = co_await put(files, file, content);
  if (!written) {
    co_return not_written("Failed to write file: " + written.error().message(), file);
  }
  if (written->facts.size != content->size()) {
    co_return not_written("Failed to write file: " + std::to_string(written->facts.size) + " of " +
                              std::to_string(content->size()) + " bytes are there",
                          file);
  }
  if (files.call().files != nullptr) {
    const FileStamp stamp = co_await files.stamp(file.real());
    files.note_written(file, stamp);
  }
  const bool compares = file.is_regular && lint_compares(file.real());
  json::object result{{"bytes_written", content->size()}, {"dirs_created", !file.has_parent}};
  result["lint"] = co_await lint(files, file.real(), *content, compares ? &before : nullptr);
  if (!warning.empty()) result["_warning"] = warning;
  result["resolved_path"] = sanitize_utf8(file.real());
  result["files_modified"] = json::array{json::string(sanitize_utf8(file.real()))};
  co_return result;
}

}  // namespace

Task<json::object> write_file_tool(ToolCall call) {
  auto request = parse_write(call.arguments);
  if (!request) co_return json::object{{"error", request.error().message()}};
  auto files = co_await FileCall::open(call);
  if (!files) co_return json::object{{"error", files.error().message()}};
  const auto file = co_await files->locate(request->path);
  if (!file) co_return json::object{{"error", file.error().message()}};
  if (const auto denied = files->change_denied(*file, policy::FileAct::write)) {
    if (denied->starts_with("Write denied")) co_return not_written(*denied, *file);
    co_return json::object{{"error", *denied}};
  }
  FileApproval approval(*files, "write_file", {{.file = &*file}},
                        {.name = "content", .text = request->content});
  if (auto refused = co_await approval.refusal()) co_return std::move(*refused);
  json::object result = co_await write_located(*files, *file, std::move(request->content));
  approval.ended(result);
  co_return result;
}

}  // namespace talaria::tool
