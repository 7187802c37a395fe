// FakeFiles: Files that are kept in memory. A test can have writes fail, and say what a hostile
// target would list.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>

#include "base/sha256.h"
#include "environment/files.h"

namespace talaria::test {

class FakeFiles final : public environment::Files {
 public:
  struct File {
    std::string content;
    os::FileFacts facts;
  };

  std::map<std::string, File> files;               // by "BELOW/PATH", or the path alone
  std::set<std::string> refused;                   // paths whose writes fail
  std::set<std::string> foreign;                   // paths that are another user's
  std::vector<std::string> written;                // in order
  std::vector<environment::FileInfo> also_listed;  // by every list
  std::vector<link::SearchFiles> searches;         // that were asked for
  link::SearchReport found_by_search;              // what each of them finds
  bool forgets = false;                            // what change() was asked to do
  std::function<void()> on_write;                  // called before each write
  std::function<Result<void>()> on_call = [] { return Result<void>(); };

  void put(const std::string& path, const std::string& content, std::int64_t mtime_ns = 1) {
    files[path] = {content, {.size = content.size(), .mtime_ns = mtime_ns, .mode = 0644}};
  }

  Task<Result<std::optional<environment::FileInfo>>> stat(environment::TargetPath path, bool,
                                                          bool digest) override {
    if (const auto fine = on_call(); !fine) co_return fail(fine.error());
    const auto found = files.find(whole(path));
    if (found == files.end()) co_return std::nullopt;
    environment::FileInfo known = info(found->first, found->second, digest);
    known.foreign = foreign.contains(found->first);
    co_return known;
  }

  Task<Result<environment::FileContent>> read(environment::TargetPath path, std::uint64_t from,
                                              std::uint64_t max,
                                              std::function<void(std::string_view)> on_data,
                                              CancelToken) override {
    if (const auto fine = on_call(); !fine) co_return fail(fine.error());
    const auto found = files.find(whole(path));
    if (found == files.end()) co_return fail(ErrorKind::not_found, whole(path) + ": not there");
    const std::string piece =
        found->second.content.substr(from, max == 0 ? std::string::npos : max);
    on_data(piece);
    co_return environment::FileContent{
        .next = from + piece.size(), .eof = true, .file = info(found->first, found->second, false)};
  }

  // All of its lines, whatever the window.
  Task<Result<link::ReadLinesReport>> read_lines(link::ReadLines window, CancelToken) override {
    const auto found = files.find(window.path);
    if (found == files.end()) co_return fail(ErrorKind::not_found, window.path + ": not there");
    const std::string& content = found->second.content;
    const auto lines = static_cast<std::uint64_t>(std::ranges::count(content, '\n'));
    co_return link::ReadLinesReport{.data = content,
                                    .lines = lines,
                                    .total_lines = lines,
                                    .ends_with_newline = true,
                                    .entry = {.path = window.path,
                                              .size = content.size(),
                                              .mtime_ns = found->second.facts.mtime_ns},
                                    .head = content};
  }

  Task<Result<link::SearchReport>> search(link::SearchFiles query, CancelToken) override {
    searches.push_back(query);
    co_return found_by_search;
  }

  // Anything else is a directory.
  Task<Result<link::LocateFileReport>> locate(link::LocateFile wanted) override {
    const auto found = files.find(wanted.path);
    link::LocateFileReport report{
        .path = wanted.path, .real = wanted.path, .directory = "/", .home = "/home"};
    report.found = true;
    report.has_parent = true;
    report.entry = {.path = wanted.path, .kind = link::EntryKind::directory};
    if (found != files.end()) {
      report.entry.kind = link::EntryKind::file;
      report.entry.size = found->second.content.size();
      report.entry.mtime_ns = found->second.facts.mtime_ns;
    }
    co_return report;
  }

  Task<Result<std::vector<environment::FileInfo>>> change(std::vector<environment::FileEdit> edits,
                                                          CancelToken) override {
    for (const environment::FileEdit& edit : edits) {
      if (!forgets && edit.content) put(edit.path, *edit.content);
    }
    co_return std::vector<environment::FileInfo>(edits.size());
  }

  Task<std::vector<Result<environment::FileInfo>>> write(std::vector<environment::FileToWrite> all,
                                                         CancelToken) override {
    co_await asio::post(asio::use_awaitable);  // others get their turn, as over a link
    std::vector<Result<environment::FileInfo>> results;
    for (environment::FileToWrite& file : all) {
      if (on_write) on_write();
      const auto fine = on_call();
      const auto old = files.find(whole(file.to));
      const std::string now = old == files.end() ? "" : sha256_hex(old->second.content);
      if (file.expected && *file.expected != now) {
        results.emplace_back(fail(ErrorKind::denied, file.to.path + ": the file has changed"));
        continue;
      }
      if (!fine || refused.contains(file.to.path)) {
        results.emplace_back(fail(ErrorKind::system, file.to.path + ": No space left on device"));
        continue;
      }
      std::string content;
      Result<std::string> piece;
      while ((piece = file.next(7)) && !piece->empty()) content += *piece;
      if (!piece) {
        results.emplace_back(fail(piece.error()));
        continue;
      }
      written.push_back(file.to.path);
      put(whole(file.to), content, file.mtime_ns);
      files[whole(file.to)].facts.mode = file.mode.value_or(0644);
      results.emplace_back(info(whole(file.to), files[whole(file.to)], false));
    }
    co_return results;
  }

  Task<Result<void>> remove(std::vector<std::string> paths, std::string below) override {
    if (const auto fine = on_call(); !fine) co_return fail(fine.error());
    for (const std::string& path : paths) files.erase(whole({path, below}));
    co_return Result<void>();
  }

  Task<Result<std::vector<environment::FileInfo>>> list(environment::FilesQuery query,
                                                        CancelToken) override {
    if (const auto fine = on_call(); !fine) co_return fail(fine.error());
    std::vector<environment::FileInfo> found;
    const std::string root = whole(query.directory) + "/";
    for (const auto& [path, file] : files) {
      if (!path.starts_with(root)) continue;
      found.push_back(info(path.substr(root.size()), file, query.digests));
    }
    found.insert(found.end(), also_listed.begin(), also_listed.end());
    if (found.empty()) co_return fail(ErrorKind::not_found, root + ": No such file or directory");
    co_return found;
  }

 private:
  static std::string whole(const environment::TargetPath& path) {
    return path.below.empty() ? path.path : path.below + "/" + path.path;
  }
  static environment::FileInfo info(const std::string& path, const File& file, bool digest) {
    return {path, file.facts, digest ? sha256_hex(file.content) : ""};
  }
};

}  // namespace talaria::test
