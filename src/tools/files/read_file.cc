#include "tools/files/read_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "base/off_loop.h"
#include "base/sha256.h"
#include "base/text.h"
#include "policy/redact.h"
#include "tools/arguments.h"
#include "tools/files/file_approval.h"
#include "tools/files/file_call.h"
#include "tools/files/file_kinds.h"
#include "tools/files/notebook.h"
#include "tools/files/similar_names.h"

namespace talaria::tool {
namespace {

// ShownLines: numbered lines of a file as a model gets them: "12|text".
class ShownLines {
 public:
  struct Limits {
    std::size_t line_chars = 2000;  // of one line; the rest is cut
    bool redact = true;             // secrets that such a cut would go through
  };

  ShownLines(std::uint64_t first, Limits limits) : next_(first), limits_(limits) {}

  // A line as it stands in the file, any bytes, without its newline. `cut`: there is more of it.
  void add(std::string_view line, bool cut = false);
  // Several, each with its newline; the last may have none. `cut` is that of the last.
  void add_all(std::string_view lines, bool cut = false);

  const std::string& text() const { return text_; }
  std::size_t chars() const { return chars_; }
  std::uint64_t next() const { return next_; }  // the number of the line behind the last

 private:
  std::uint64_t next_;
  Limits limits_;
  std::string text_;
  std::size_t chars_ = 0;
};

void ShownLines::add(std::string_view line, bool cut) {
  const std::string prefix = (text_.empty() ? "" : "\n") + std::to_string(next_++) + "|";
  // What could not be shown anyway need not be looked at.
  const std::size_t most = limits_.line_chars * kMaxUtf8Bytes + policy::kSecretBytes;
  if (line.size() > most) {
    line = without_cut_end(line.substr(0, most));
    cut = true;
  }
  std::string shown = sanitize_utf8(line);
  cut = cut || count_chars(shown) > limits_.line_chars;
  if (cut) {
    if (limits_.redact) shown = policy::redact(shown, {.code_file = true});
    shown = std::string(first_chars(shown, limits_.line_chars)) + "... [truncated]";
  }
  chars_ += prefix.size() + count_chars(shown);
  text_ += prefix;
  text_ += shown;
}

void ShownLines::add_all(std::string_view lines, bool cut) {
  while (!lines.empty()) {
    const std::size_t newline = lines.find('\n');
    const bool is_last = newline == std::string_view::npos;
    add(lines.substr(0, newline), cut && is_last);
    lines.remove_prefix(is_last ? lines.size() : newline + 1);
  }
}

constexpr std::int64_t kStandardLines = 500;
constexpr std::uint64_t kLargeFile = 512'000;      // bytes: a narrower read is suggested ...
constexpr std::uint64_t kNarrowRead = 200;         // ... to one of more lines than this
constexpr std::size_t kMaxNotebook = 64u << 20;    // bytes
constexpr std::size_t kMostNeighbours = 5000;      // names looked at for one that is similar
constexpr std::uint64_t kMostFetched = 32u << 20;  // bytes of lines for one read, most of them cut

constexpr std::string_view kKeyMark = "PRIVATE KEY";

struct Window {
  std::string path;
  std::uint64_t offset = 1;
  std::uint64_t limit = kStandardLines;
  bool refresh = false;  // show it even if the model has read it before
};

// A page of lines, and what is known of the file.
struct Page {
  std::string content;  // shown lines
  std::size_t chars = 0;
  std::uint64_t last = 0;  // the number of the last line shown; 0: none
  std::uint64_t total_lines = 0;
  std::uint64_t file_size = 0;
  FileStamp stamp;
  bool is_binary = false;
  bool is_image = false;
  bool extracted = false;
  std::string before;  // text in front of the page, and ...
  std::string after;   // ... behind it: a private key may begin or end there
};

json::object read_error(std::string_view error) { return {{"error", error}}; }

// The shape of a read that found no text.
json::object without_content(std::string_view error) {
  return {{"content", ""},      {"total_lines", 0},  {"file_size", 0}, {"truncated", false},
          {"is_binary", false}, {"is_image", false}, {"error", error}};
}

Result<Window> parse_read(const json::object& arguments, const host::FileConfig& config) {
  const json::value* path = given(arguments, "path");
  if (!path || !path->is_string() || trim(path->get_string()).empty()) {
    return fail(ErrorKind::bad_request,
                "read_file: missing required field 'path'. Pass the path of a file.");
  }
  const auto most = static_cast<std::int64_t>(config.max_lines);
  const json::value* refresh = given(arguments, "refresh");
  const auto at = [&](std::string_view name, std::int64_t standard, std::int64_t limit) {
    return static_cast<std::uint64_t>(bounded_number(arguments, name, standard, 1, limit));
  };
  return Window{.path = std::string(path->get_string()),
                .offset = at("offset", 1, std::numeric_limits<std::int64_t>::max() / 2),
                .limit = at("limit", std::min(kStandardLines, most), most),
                .refresh = refresh != nullptr && is_true(*refresh)};
}

json::object not_found(const Window& window, const LocatedFile& file) {
  json::object result = without_content("File not found: " + window.path);
  std::string path = window.path;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::filesystem::path asked(path);
  const std::string name = std::filesystem::path(file.real()).filename();
  json::array similar;
  for (const std::string& one : similar_names(name, file.neighbours, kMostSimilar)) {
    similar.emplace_back(sanitize_utf8((asked.parent_path() / one).string()));
  }
  if (!similar.empty()) result["similar_files"] = std::move(similar);
  return result;
}

// Bytes of the file, as many as there are; empty if it cannot be read.
Task<std::string> piece_of(const FileCall& files, std::string path, std::uint64_t from,
                           std::uint64_t size) {
  std::string bytes;
  if (size == 0) co_return bytes;
  environment::TargetPath at{std::move(path)};
  const auto read = co_await files.files().read(
      std::move(at), from, size, [&](std::string_view data) { bytes += data; },
      files.call().cancel);
  if (!read) bytes.clear();
  co_return bytes;
}

// Shows the lines of a text that is all there.
Page page_of_text(std::string_view text, const Window& window, const host::Config& config) {
  Page page{.extracted = true};
  ShownLines shown(window.offset,
                   {.line_chars = config.files.max_line_chars, .redact = config.redact_secrets});
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    ++page.total_lines;
    if (page.total_lines >= window.offset && page.total_lines < window.offset + window.limit) {
      shown.add(text.substr(0, newline));
      page.last = page.total_lines;
    }
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  }
  page.content = shown.text();
  page.chars = shown.chars();
  return page;
}

// Nothing: it is not a notebook, and is read as text.
Task<std::optional<Page>> read_notebook(const FileCall& files, LocatedFile file, Window window) {
  if (extension_of(file.real()) != ".ipynb" || file.size > kMaxNotebook) co_return std::nullopt;
  const std::string bytes = co_await piece_of(files, file.real(), 0, kMaxNotebook);
  auto page = co_await off_loop_if_large(bytes.size(), [&]() -> std::optional<Page> {
    const auto text = notebook_text(bytes);
    if (!text) return std::nullopt;
    return page_of_text(*text, window, files.config());
  });
  if (!page) co_return std::nullopt;
  page->file_size = file.size;
  page->stamp = file.stamp;
  co_return page;
}

void note_facts(Page& page, const link::ReadLinesReport& report) {
  page.total_lines = report.total_lines;
  page.file_size = report.entry.size;
  page.stamp = {report.device, report.inode, report.entry.size, report.entry.mtime_ns};
  page.is_image = is_image(report.head) && is_binary(report.head);
  page.is_binary = is_binary(report.head);
}

// What is around the page, as far as a secret in it may depend on that.
Task<void> read_around(const FileCall& files, std::string path, Page& page, std::uint64_t begin,
                       std::uint64_t end) {
  const std::uint64_t before = std::min<std::uint64_t>(begin, policy::kSecretBytes);
  page.before = sanitize_utf8(co_await piece_of(files, path, begin - before, before));
  const bool has_key = page.content.contains(kKeyMark) || page.before.contains(kKeyMark);
  if (!has_key || end >= page.file_size) co_return;
  page.after = sanitize_utf8(co_await piece_of(files, std::move(path), end, policy::kSecretBytes));
}

link::ReadLines lines_of(const Window& window) {
  return {.first_line = window.offset, .max_lines = window.limit};
}

// `known`: the first lines of the window, if they are here already.
Task<Result<Page>> read_page(const FileCall& files, std::string path, Window window,
                             std::optional<link::ReadLinesReport> known) {
  const host::Config& config = files.config();
  Page page;
  ShownLines shown(window.offset,
                   {.line_chars = config.files.max_line_chars, .redact = config.redact_secrets});
  const std::uint64_t behind = window.offset + window.limit;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t fetched = 0;
  while (shown.next() < behind) {
    Result<link::ReadLinesReport> report;
    if (known) {
      report = *std::exchange(known, std::nullopt);
    } else {
      link::ReadLines wanted = lines_of({.offset = shown.next(), .limit = behind - shown.next()});
      wanted.path = path;
      report = co_await files.files().read_lines(std::move(wanted), files.call().cancel);
    }
    if (!report) co_return fail(report.error());
    note_facts(page, *report);
    if (page.is_binary || report->lines == 0) break;
    if (page.last == 0) begin = report->offset;
    end = report->offset + report->data.size();
    fetched += report->data.size();
    std::string_view lines = report->data;
    if (report->offset == 0) lines = without_bom(lines);
    if (lines.empty()) lines = "\n";  // a byte order mark and nothing else
    shown.add_all(lines, report->cut);
    page.last = shown.next() - 1;
    if (page.last >= page.total_lines) break;
    if (fetched > kMostFetched || shown.chars() > config.files.max_chars) break;
  }
  page.content = shown.text();
  page.chars = shown.chars();
  if (config.redact_secrets) co_await read_around(files, std::move(path), page, begin, end);
  co_return page;
}

bool is_own_output(std::string_view path) {
  return path.contains("/talaria/run/") || path.contains("/.talaria/run/");
}

// Output of commands that was stored in a file is masked as in their results.
std::string masked(const Page& page, const std::string& path) {
  const policy::PartOfText part{page.before, page.content, page.after};
  return redact(part,
                is_own_output(path) ? policy::RedactOptions() : policy::options_for_file(path));
}

json::object too_much(const Window& window, const Page& page, const host::Config& config) {
  return {{"error", "Read produced " + with_commas(page.chars) +
                        " characters which exceeds the safety limit (" +
                        with_commas(config.files.max_chars) +
                        " chars). Use offset and limit to read a smaller range. The file has " +
                        with_commas(page.total_lines) + " lines total."},
          {"path", window.path},
          {"total_lines", page.total_lines},
          {"file_size", page.file_size}};
}

void add_hints(json::object& result, const Window& window, const Page& page) {
  const bool truncated = page.last != 0 && page.last < page.total_lines;
  result["truncated"] = truncated;
  if (truncated) {
    result["hint"] = "Use offset=" + std::to_string(page.last + 1) +
                     " to continue reading (showing " + std::to_string(window.offset) + "-" +
                     std::to_string(page.last) + " of " + std::to_string(page.total_lines) +
                     " lines)";
  } else if (page.last == 0 && window.offset > 1) {
    result["hint"] = "offset=" + std::to_string(window.offset) +
                     " is past the end of the file, which has " + std::to_string(page.total_lines) +
                     " lines";
  }
  if (truncated && page.file_size > kLargeFile && window.limit > kNarrowRead) {
    result["_hint"] = "This file is large (" + with_commas(page.file_size) +
                      " bytes). Search it first, then read narrower ranges with offset and limit.";
  }
}

json::object describe(const Window& window, const Page& page, const std::string& content) {
  json::object result{{"content", content},
                      {"total_lines", page.total_lines},
                      {"file_size", page.file_size},
                      {"truncated", false}};
  add_hints(result, window, page);
  result["is_binary"] = page.is_binary;
  result["is_image"] = page.is_image;
  if (page.extracted) result["extracted_document"] = true;
  return result;
}

json::object describe_binary(const Page& page) {
  json::object result = without_content(
      "Binary file - cannot display as text. Use appropriate tools to handle this file type.");
  result["file_size"] = page.file_size;
  result["is_binary"] = true;
  result["is_image"] = page.is_image;
  if (page.is_image) result["hint"] = "This is an image. This tool cannot show it.";
  return result;
}

// What a model that reads the same lines again gets in place of `result`, or with it.
json::object guarded(const FileCall& files, const LocatedFile& file, const Window& window,
                     const Page& page, json::object result) {
  const std::string part = std::to_string(window.offset) + ":" + std::to_string(window.limit);
  const FileMemory::Verdict verdict = files.memory()->read(
      files.call().task(), file.key, part, page.stamp, sha256_hex(page.content), window.refresh);
  switch (verdict.repetition) {
    case FileMemory::Repetition::none:
      return result;
    case FileMemory::Repetition::warn:
      result["_warning"] = "You have read these same lines " + std::to_string(verdict.count) +
                           " times in a row. Use what you have, or do something else.";
      return result;
    case FileMemory::Repetition::unchanged:
      return {{"status", "unchanged"},
              {"message", kUnchangedText},
              {"path", window.path},
              {"dedup", true},
              {"content_returned", false}};
  }
  return result;
}

void remember(const FileCall& files, const LocatedFile& file, const Window& window,
              const Page& page) {
  if (files.memory() == nullptr) return;
  const bool partial = window.offset > 1 || page.last < page.total_lines;
  files.memory()->saw(files.call().task(), file.key, page.stamp, partial);
}

// Whether more is looked at than its name.
bool is_read_by_lines(const std::string& path) {
  return !has_binary_name(path) && extension_of(path) != ".ipynb";
}

Task<json::object> read_located(const FileCall& files, LocatedFile file, Window window) {
  if (file.real() == "/dev/null") co_return describe(window, Page{}, "");
  if (!file.is_directory && has_binary_name(file.real())) {
    co_return read_error("Cannot read binary file '" + window.path + "' (" +
                         extension_of(file.real()) +
                         "). Use the terminal to inspect binary files.");
  }
  if (!file.found) co_return not_found(window, file);
  if (file.is_directory) {
    co_return without_content("Cannot read '" + window.path +
                              "': it is a directory. Use search_files with target='files' to see "
                              "what is in it.");
  }
  if (auto notebook = co_await read_notebook(files, file, window)) {
    if (notebook->chars > files.config().files.max_chars) {
      co_return too_much(window, *notebook, files.config());
    }
    const bool mask = files.config().redact_secrets;
    co_return describe(window, *notebook,
                       mask ? masked(*notebook, file.real()) : notebook->content);
  }
  const auto page =
      co_await read_page(files, file.real(), window, std::exchange(file.lines, std::nullopt));
  if (!page) {
    co_return without_content("Cannot read '" + window.path + "': " + page.error().message());
  }
  if (page->is_binary) co_return describe_binary(*page);
  if (page->chars > files.config().files.max_chars) {
    co_return too_much(window, *page, files.config());
  }
  const bool mask = files.config().redact_secrets;
  json::object result = describe(window, *page, mask ? masked(*page, file.real()) : page->content);
  remember(files, file, window, *page);
  if (files.memory() == nullptr) co_return result;
  co_return guarded(files, file, window, *page, std::move(result));
}

}  // namespace

Task<json::object> read_file_tool(ToolCall call) {
  auto window = parse_read(call.arguments, call.config_or_defaults()->files);
  if (!window) co_return read_error(window.error().message());
  const std::string normal = std::filesystem::path(window->path).lexically_normal().string();
  if (const auto denied = policy::device_denied(window->path, normal))
    co_return read_error(*denied);
  auto files = co_await FileCall::open(call);
  if (!files) co_return read_error(files.error().message());
  std::optional<link::ReadLines> lines;
  if (is_read_by_lines(window->path)) lines = lines_of(*window);
  auto file = co_await files->locate(window->path, kMostNeighbours, std::move(lines));
  if (!file) co_return read_error(file.error().message());
  if (const auto denied = files->read_denied(*file)) co_return read_error(*denied);
  FileApproval approval(*files, "read_file", {{.act = policy::FileAct::read, .file = &*file}}, {});
  if (auto refused = co_await approval.refusal()) co_return std::move(*refused);
  json::object result = co_await read_located(*files, std::move(*file), std::move(*window));
  if (!approval.was_harmless()) approval.ended(result);
  co_return result;
}

}  // namespace talaria::tool
