#include "tools/files/search_files.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "json/json_text.h"
#include "policy/redact.h"
#include "tools/arguments.h"
#include "tools/command_result.h"
#include "tools/files/file_approval.h"
#include "tools/files/file_call.h"
#include "tools/files/similar_names.h"

namespace talaria::tool {
namespace {

constexpr std::int64_t kStandardMatches = 50;
constexpr std::int64_t kMostResults = 50'000;  // in one answer; the runner has the same bound
constexpr std::int64_t kMostOffset = 1'000'000'000;
constexpr std::int64_t kMostContext = 1000;
constexpr std::size_t kLineChars = 500;  // shown of a line
constexpr std::size_t kMostSearchedNeighbours = 20;

struct SearchRequest {
  std::string pattern;
  std::string path;
  std::string file_glob;
  link::SearchMode mode = link::SearchMode::content;
  std::uint64_t limit = kStandardMatches;
  std::uint64_t offset = 0;
  std::uint64_t context = 0;
};

json::object failed(std::string_view error) { return {{"total_count", 0}, {"error", error}}; }

Result<link::SearchMode> parse_mode(const json::object& arguments) {
  const std::string target = text_argument(arguments, "target", "content");
  if (target == "files" || target == "find") return link::SearchMode::names;
  if (target != "content" && target != "grep") {
    return fail(ErrorKind::bad_request,
                "Unknown target: " + target + ". Use 'content' or 'files'.");
  }
  const std::string mode = text_argument(arguments, "output_mode", "content");
  if (mode == "content") return link::SearchMode::content;
  if (mode == "files_only") return link::SearchMode::files;
  if (mode == "count") return link::SearchMode::count;
  return fail(ErrorKind::bad_request,
              "Unknown output_mode: " + mode + ". Use 'content', 'files_only' or 'count'.");
}

Result<SearchRequest> parse_search(const json::object& arguments) {
  const json::value* pattern = given(arguments, "pattern");
  if (!pattern || !pattern->is_string() || pattern->get_string().empty()) {
    return fail(ErrorKind::bad_request,
                "search_files: missing required field 'pattern'. Pass a regular expression, or a "
                "glob with target='files'.");
  }
  const auto mode = parse_mode(arguments);
  if (!mode) return fail(mode.error());
  const auto at = [&](std::string_view name, std::int64_t standard, std::int64_t least,
                      std::int64_t most) {
    return static_cast<std::uint64_t>(bounded_number(arguments, name, standard, least, most));
  };
  SearchRequest request{.pattern = std::string(pattern->get_string()),
                        .path = text_argument(arguments, "path", "."),
                        .file_glob = text_argument(arguments, "file_glob"),
                        .mode = *mode,
                        .limit = at("limit", kStandardMatches, 1, kMostResults),
                        .offset = at("offset", 0, 0, kMostOffset),
                        .context = at("context", 0, 0, kMostContext)};
  if (request.path.empty()) request.path = ".";
  return request;
}

// What two searches have in common that would find the same.
std::string key_of(const SearchRequest& request) {
  json::array key{
      request.pattern, request.path,   request.file_glob, std::to_underlying(request.mode),
      request.limit,   request.offset, request.context};
  return to_line(key);
}

bool names_everything(std::string_view glob) {
  return glob.empty() || glob == "*" || glob == "**" || glob == "**/*" || glob == "*.*";
}

// A bare word is a part of a name; one with a directory in it is a path below the root.
std::string name_glob(std::string pattern, const std::string& root) {
  if (pattern.starts_with(root + "/")) return pattern.substr(root.size());
  while (pattern.starts_with("./")) pattern.erase(0, 2);
  const bool is_bare = pattern.find_first_of("*?[{/") == std::string::npos;
  return is_bare ? "*" + pattern + "*" : pattern;
}

link::SearchFiles query_of(const SearchRequest& request, const FileCall& files,
                           const LocatedFile& root) {
  link::SearchFiles query{.path = root.real(),
                          .pattern = request.pattern,
                          .mode = request.mode,
                          .offset = request.offset,
                          .limit = request.limit,
                          .context = request.context,
                          .max_line = kLineChars * kMaxUtf8Bytes + policy::kSecretBytes};
  if (request.mode == link::SearchMode::names) {
    query.pattern.clear();
    const std::string glob = name_glob(request.pattern, root.real());
    if (!names_everything(request.pattern)) query.globs = {glob};
    return query;
  }
  if (!names_everything(request.file_glob)) query.globs = {request.file_glob};
  if (!root.is_directory) return query;
  // Names are not secret; the contents of such files are.
  for (std::string& glob : policy::unsearched(root.real(), files.place(root))) {
    query.globs.push_back(std::move(glob));
  }
  return query;
}

std::string shown_path(const std::string& asked, const std::string& found) {
  if (found.empty()) return sanitize_utf8(asked);
  return sanitize_utf8(asked.ends_with('/') ? asked + found : asked + "/" + found);
}

// Each line, masked with the lines around it that were found as well: a private key has several.
std::vector<std::string> shown_lines(const link::FoundFile& file, const std::string& path,
                                     bool mask) {
  std::string all;
  std::vector<std::size_t> begins;
  for (const link::FoundLine& line : file.lines) {
    begins.push_back(all.size());
    all += sanitize_utf8(line.text) + "\n";
  }
  begins.push_back(all.size());
  std::vector<std::string> shown;
  const std::string_view text = all;
  const bool has_key = text.contains("PRIVATE KEY");
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    const std::string_view line = text.substr(begins[i], begins[i + 1] - begins[i] - 1);
    std::string masked(line);
    if (mask && !has_key) masked = policy::redact(line, policy::options_for_file(path));
    if (mask && has_key) {
      const std::size_t from = begins[i] - std::min(begins[i], policy::kSecretBytes);
      masked =
          redact(policy::PartOfText{.before = text.substr(from, begins[i] - from),
                                    .text = line,
                                    .after = text.substr(begins[i + 1] - 1, policy::kSecretBytes)},
                 policy::options_for_file(path));
    }
    shown.emplace_back(first_chars(masked, kLineChars));
  }
  return shown;
}

void add_lines(json::array& matches, const link::FoundFile& file, const std::string& path,
               bool mask) {
  const std::vector<std::string> shown = shown_lines(file, path, mask);
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const link::FoundLine& line = file.lines[i];
    json::object match{{"path", path}, {"line", line.number}, {"content", shown[i]}};
    if (line.context) match["context"] = true;
    matches.push_back(std::move(match));
  }
}

// The next page begins behind what was shown, which may be less than was asked for.
std::string more_hint(const SearchRequest& request, const link::SearchReport& report) {
  std::uint64_t shown = report.files.size();
  if (request.mode == link::SearchMode::content) {
    shown = 0;
    for (const link::FoundFile& file : report.files) {
      shown += static_cast<std::uint64_t>(
          std::ranges::count(file.lines, false, &link::FoundLine::context));
    }
  }
  if (shown == 0) {
    return "Results truncated: there is no room for what is around the next match. Use less "
           "context.";
  }
  return "Results truncated. Use offset=" + std::to_string(request.offset + shown) +
         " to see more, or narrow with a more specific pattern or file_glob.";
}

json::object describe(const SearchRequest& request, const link::SearchReport& report, bool mask) {
  json::array matches;
  json::array names;
  json::object counts;
  for (const link::FoundFile& file : report.files) {
    const std::string path = shown_path(request.path, file.path);
    if (request.mode == link::SearchMode::content) {
      add_lines(matches, file, path, mask);
    } else if (request.mode == link::SearchMode::count) {
      counts[path] = file.matches;
    } else {
      names.emplace_back(path);
    }
  }
  const bool by_file =
      request.mode == link::SearchMode::files || request.mode == link::SearchMode::names;
  json::object result{{"total_count", by_file ? report.total_files : report.total_lines}};
  if (!matches.empty()) result["matches"] = std::move(matches);
  if (!names.empty()) result["files"] = std::move(names);
  if (!counts.empty()) result["counts"] = std::move(counts);
  if (report.more || report.timed_out) result["truncated"] = true;
  if (report.timed_out) result["limit_reason"] = "search_timeout";
  if (report.more) result["_hint"] = more_hint(request, report);
  if (report.total_failed > 0) result["unreadable_files"] = report.total_failed;
  result["engine"] = report.engine == link::SearchEngine::ripgrep ? "ripgrep" : "runner";
  return result;
}

// A search shows what it finds without naming it before, so each file is judged as read_file would
// judge it. Returns how many are left out.
std::size_t leave_out_private(link::SearchReport& report, const FileCall& files,
                              const LocatedFile& root) {
  const policy::Approvals& approvals = files.call().services.policy.approvals();
  return std::erase_if(report.files, [&](const link::FoundFile& found) {
    if (found.path.empty()) return false;  // the root, which was judged
    LocatedFile file = root;
    for (std::string* path : {&file.paths.asked, &file.paths.path, &file.paths.real}) {
      *path += "/" + found.path;
    }
    file.paths.own.clear();
    const FileApproval approval(files, "search_files",
                                {{.act = policy::FileAct::read, .file = &file}}, {});
    return !approvals.needs_nobody(approval.question());
  });
}

json::object path_not_found(const SearchRequest& request, const LocatedFile& root) {
  std::string error = "Path not found: " + request.path;
  const std::filesystem::path asked(request.path);
  const std::string name = std::filesystem::path(root.real()).filename();
  std::string similar;
  for (const std::string& one : similar_directories(name, root.neighbours, kMostSimilar)) {
    similar += (similar.empty() ? "" : ", ") + sanitize_utf8((asked.parent_path() / one).string());
  }
  if (!similar.empty()) error += ". Similar paths: " + similar;
  return failed(error);
}

}  // namespace

Task<json::object> search_files_tool(ToolCall call) {
  const auto request = parse_search(call.arguments);
  if (!request) co_return failed(request.error().message());
  FileMemory::Verdict verdict;
  if (call.files != nullptr && !call.from_script) {
    verdict = call.files->search(call.task(), key_of(*request));
  }
  const auto files = co_await FileCall::open(call);
  if (!files) co_return failed("Search failed: " + files.error().message());
  const auto root = co_await files->locate(request->path, kMostSearchedNeighbours);
  if (!root) co_return failed("Search failed: " + root.error().message());
  if (!root->found) co_return path_not_found(*request, *root);
  if (request->mode != link::SearchMode::names) {
    if (const auto denied = files->read_denied(*root)) co_return failed(*denied);
  }
  const std::string shown = request->mode == link::SearchMode::names ? "" : request->pattern;
  FileApproval approval(*files, "search_files",
                        {{.act = policy::FileAct::read, .file = &*root, .searched_for = shown}},
                        {});
  if (!shown.empty()) {
    if (auto refused = co_await approval.refusal()) co_return std::move(*refused);
  }
  link::SearchFiles query = query_of(*request, *files, *root);
  auto report = co_await files->files().search(std::move(query), call.cancel);
  if (!report) co_return failed("Search failed: " + report.error().message());
  const bool judged = !shown.empty() && approval.was_harmless();
  const std::size_t left_out = judged ? leave_out_private(*report, *files, *root) : 0;
  json::object result = describe(*request, *report, files->config().redact_secrets);
  if (verdict.repetition == FileMemory::Repetition::warn) {
    result["_warning"] = "You have run this same search " + std::to_string(verdict.count) +
                         " times in a row. Use what you have, or search for something else.";
  }
  if (left_out > 0) {
    const std::string what = left_out == 1 ? " file that needs" : " files that need";
    add_notices(result, {"Not shown: " + std::to_string(left_out) + what +
                         " approval to be read, such as keys. Use read_file for one of them."});
  }
  if (!shown.empty() && !approval.was_harmless()) approval.ended(result);
  co_return result;
}

}  // namespace talaria::tool
