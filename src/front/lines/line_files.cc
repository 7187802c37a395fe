// Files at the target, byte for byte.
#include <array>
#include <memory>
#include <optional>
#include <string>

#include <boost/json/array.hpp>

#include "api/asio_files.h"
#include "base/limits.h"
#include "base/text.h"
#include "front/lines/line_methods.h"

namespace talaria::front::lines {
namespace {

constexpr std::uint64_t kUsualEntries = 10'000;
constexpr std::uint64_t kMostDepth = 100;

// The files that the call may use, once its place is known.
struct FileCalls {
  LinePlace place;
  AsioFiles files;
};

Task<Result<FileCalls>> files_of(MethodCall& call) {
  auto place = co_await place_of(call);
  if (!place) co_return fail(place.error());
  FileCaller caller{.task = place->task,
                    .session_key = call.params.text("session_key", place->session_key),
                    .waits_for_approval = call.params.flag("wait_approval", true),
                    .first_directory = place->first_directory};
  AsioFiles files(call.services.runtime, std::move(caller), call.request->cancel());
  co_return FileCalls{std::move(*place), std::move(files)};
}

Result<PartEncoding> encoding_of(const LineParams& params) {
  const auto encoding = params.choice("encoding", kPartEncodings);
  if (!encoding) return fail(encoding.error());
  return static_cast<PartEncoding>(*encoding);
}

// "0644"
Result<std::optional<std::uint32_t>> mode_of(const LineParams& params) {
  const auto text = params.given_text("mode");
  if (!text) return std::nullopt;
  const auto mode = parse_integer<std::uint32_t>(*text, 8);
  if (!mode || *mode > 07777) {
    return fail(param_error("mode", "expected octal digits, for example \"0644\""));
  }
  return mode;
}

Result<std::string> data_of(const LineParams& params) {
  if (params.has("data") == params.has("data64")) {
    return fail(ErrorKind::bad_request, "params: give either data (text) or data64 (base64)");
  }
  return params.has("data") ? params.text("data") : *params.bytes("data64");
}

std::string octal(std::uint32_t mode) {
  std::string digits = "0000";
  for (auto at = digits.rbegin(); at != digits.rend(); ++at, mode >>= 3) {
    *at = static_cast<char>('0' + (mode & 7));
  }
  return digits;
}

double seconds_of(std::chrono::system_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

json::object shown_entry(const FileStat& file) {
  json::object shown{{"path", sanitize_utf8(file.path)},
                     {"type", file_type_name(file.type)},
                     {"size", file.size},
                     {"mode", octal(file.mode)},
                     {"modified", seconds_of(file.modified)}};
  if (file.type == FileType::link) shown["link_to"] = sanitize_utf8(file.link_to);
  return shown;
}

Task<Result<json::object>> read_file(MethodCall call) {
  const auto encoding = encoding_of(call.params);
  if (!encoding) co_return fail(encoding.error());
  const auto max = call.params.whole_within("max", 0, 1, kMaxFilePart);
  if (!max) co_return fail(max.error());
  auto at = co_await files_of(call);
  if (!at) co_return fail(at.error());
  const auto part = co_await at->files.read(call.params.text("path"),
                                            call.params.whole("from").value_or(0), *max);
  if (!part) co_return fail(part.error());
  json::object answer;
  add_bytes(answer, "data", part->data, *encoding);
  answer["from"] = part->from;
  answer["next"] = part->next;
  answer["size"] = part->size;
  answer["eof"] = part->eof;
  co_return answer;
}

Task<Result<json::object>> write_file(MethodCall call) {
  auto data = data_of(call.params);
  if (!data) co_return fail(data.error());
  const auto mode = mode_of(call.params);
  if (!mode) co_return fail(mode.error());
  auto at = co_await files_of(call);
  if (!at) co_return fail(at.error());
  FileWriting what{.path = call.params.text("path"),
                   .data = std::move(*data),
                   .append = call.params.flag("append"),
                   .mode = *mode,
                   .parents = call.params.flag("parents", true)};
  const auto written = co_await at->files.write(std::move(what));
  if (!written) co_return fail(written.error());
  co_return json::object{{"bytes", *written}};
}

Task<Result<json::object>> stat_file(MethodCall call) {
  auto at = co_await files_of(call);
  if (!at) co_return fail(at.error());
  const auto found = co_await at->files.stat(call.params.text("path"));
  if (!found) co_return fail(found.error());
  json::object answer = shown_entry(*found);
  answer["uid"] = found->uid;
  answer["gid"] = found->gid;
  co_return answer;
}

Task<Result<json::object>> list_files(MethodCall call) {
  const auto depth = call.params.whole_within("depth", 1, 1, kMostDepth);
  if (!depth) co_return fail(depth.error());
  const auto max = call.params.whole_within("max", kUsualEntries, 1, kMaxListedEntries);
  if (!max) co_return fail(max.error());
  auto at = co_await files_of(call);
  if (!at) co_return fail(at.error());
  const auto found = co_await at->files.list(call.params.text("path"), *depth, *max);
  if (!found) co_return fail(found.error());
  json::array entries;
  for (const FileStat& one : found->entries) entries.push_back(shown_entry(one));
  co_return json::object{{"entries", std::move(entries)}, {"truncated", found->truncated}};
}

Task<Result<json::object>> remove_file(MethodCall call) {
  auto at = co_await files_of(call);
  if (!at) co_return fail(at.error());
  const auto done =
      co_await at->files.remove(call.params.text("path"), call.params.flag("recursive"));
  if (!done) co_return fail(done.error());
  co_return json::object();
}

Task<Result<json::object>> make_directory(MethodCall call) {
  const auto mode = mode_of(call.params);
  if (!mode) co_return fail(mode.error());
  auto at = co_await files_of(call);
  if (!at) co_return fail(at.error());
  const auto done = co_await at->files.make_directory(call.params.text("path"),
                                                      call.params.flag("parents", true), *mode);
  if (!done) co_return fail(done.error());
  co_return json::object();
}

Task<Result<json::object>> rename_file(MethodCall call) {
  auto at = co_await files_of(call);
  if (!at) co_return fail(at.error());
  const auto done = co_await at->files.rename(call.params.text("from"), call.params.text("to"),
                                              call.params.flag("overwrite", true));
  if (!done) co_return fail(done.error());
  co_return json::object();
}

// The client writes it with stream.write, and says when it ends.
FileSource source_of(const std::shared_ptr<ByteChannel>& channel) {
  const auto next = [channel](std::size_t most) -> Task<Result<std::string>> {
    std::string bytes = co_await channel->read(most);
    if (bytes.empty() && !channel->complete()) {
      co_return fail(ErrorKind::interrupted, "the upload was given up before its end");
    }
    co_return bytes;
  };
  return {.next = next, .stop = [channel] { channel->close(); }};
}

Result<bool> is_tree(const LineParams& params) {
  const auto kind = params.choice("kind", "file tree");
  if (!kind) return fail(kind.error());
  return *kind == 1;
}

json::object shown_transfer(const Transferred& done, bool tree) {
  json::object answer{{"bytes", done.bytes}};
  if (tree) answer["files"] = done.files;
  answer["sha256"] = done.sha256;
  return answer;
}

Task<Result<json::object>> upload(MethodCall call) {
  const auto tree = is_tree(call.params);
  if (!tree) co_return fail(tree.error());
  const auto mode = mode_of(call.params);
  if (!mode) co_return fail(mode.error());
  auto at = co_await files_of(call);
  if (!at) co_return fail(at.error());
  FileSource source = source_of(call.request->input());
  Result<Transferred> done;
  if (*tree) {
    done = co_await at->files.upload_tree(call.params.text("path"), std::move(source));
  } else {
    FileWriting what{.path = call.params.text("path"),
                     .mode = *mode,
                     .parents = call.params.flag("parents", true)};
    done = co_await at->files.upload(std::move(what), std::move(source));
  }
  if (!done) co_return fail(done.error());
  co_return shown_transfer(*done, *tree);
}

Task<Result<json::object>> download(MethodCall call) {
  const auto tree = is_tree(call.params);
  if (!tree) co_return fail(tree.error());
  const auto window = window_of(call.params);
  if (!window) co_return fail(window.error());
  auto at = co_await files_of(call);
  if (!at) co_return fail(at.error());
  const std::shared_ptr<LineRequest> request = call.request;
  PartStream& parts = request->open_parts(PartEncoding::base64, *window);
  FileSink sink{.take = [&parts](std::string_view bytes) { parts.add("file", bytes); },
                .flow = parts.flow(),
                .taken = [&parts] { return parts.sent(); }};
  Result<Transferred> done;
  if (*tree) {
    done = co_await at->files.download_tree(call.params.text("path"), std::move(sink));
  } else {
    done = co_await at->files.download(call.params.text("path"), std::move(sink));
  }
  if (!done) co_return fail(done.error());
  co_await request->parts_sent();
  if (request->cancel().cancelled()) co_return fail(ErrorKind::interrupted, "cancelled");
  co_return shown_transfer(*done, *tree);
}

constexpr auto kFileMethods = std::to_array<Method>({
    method_work("files.read",
                "task:text sandbox:text path!:name from:whole max:whole encoding:text "
                "session_key:text wait_approval:flag",
                read_file),
    method_work("files.write",
                "task:text sandbox:text path!:name data:text data64:base64 append:flag mode:text "
                "parents:flag session_key:text wait_approval:flag",
                write_file),
    method_work("files.stat", "task:text sandbox:text path!:name", stat_file),
    method_work("files.list", "task:text sandbox:text path!:name depth:whole max:whole",
                list_files),
    method_work("files.remove",
                "task:text sandbox:text path!:name recursive:flag session_key:text "
                "wait_approval:flag",
                remove_file),
    method_work("files.make_dir",
                "task:text sandbox:text path!:name parents:flag mode:text session_key:text "
                "wait_approval:flag",
                make_directory),
    method_work("files.rename",
                "task:text sandbox:text from!:name to!:name overwrite:flag session_key:text "
                "wait_approval:flag",
                rename_file),
    {.name = "files.upload",
     .params = "task:text sandbox:text path!:name kind:text mode:text parents:flag "
               "session_key:text wait_approval:flag",
     .pace = Method::Pace::work,
     .run = upload,
     .takes_input = [](const LineParams&) { return true; }},
    method_work("files.download",
                "task:text sandbox:text path!:name kind:text window:whole session_key:text "
                "wait_approval:flag",
                download),
});

}  // namespace

std::span<const Method> file_methods() { return kFileMethods; }

}  // namespace talaria::front::lines
