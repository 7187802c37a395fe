// Files: the files at the target of an environment. The runner reads and writes their bytes: no
// shell, no encoding, and a file is replaced in one step.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "link/edit_messages.h"
#include "link/search_messages.h"
#include "os/file_facts.h"

namespace talaria::environment {

// A path at the target: absolute, "~" or "~/x". With `below`, which is such a path, `path` is
// relative to it, and no symbolic link on the way is followed.
struct TargetPath {
  std::string path;
  std::string below = {};
};

struct FileInfo {
  std::string path;
  os::FileFacts facts;
  std::string sha256;        // if requested; empty: over 256 MiB, or unreadable
  std::string link_to = {};  // of a link, from stat and list: what it says
  bool foreign = false;      // of stat: its owner is not the user that files are written as
  std::uint32_t uid = 0;     // this and the next: of stat
  std::uint32_t gid = 0;
};

struct FileToWrite {
  TargetPath to;
  std::uint64_t size = 0;  // approximate
  // Returns the next bytes, at most so many; empty: the end. Called when they are to be sent.
  std::function<Result<std::string>(std::size_t most)> next;
  // In place of next(): the same for bytes that are still to come.
  std::function<Task<Result<std::string>>(std::size_t most)> next_later = nullptr;
  bool waits_for_disk = false;                // next() is called beside the loop (base/off_loop.h)
  std::optional<std::uint32_t> mode = {};     // absent: that of the file it replaces
  std::int64_t mtime_ns = 0;                  // 0: now
  std::optional<std::uint32_t> parents = {};  // mode of directories to create; absent: create none
  std::optional<std::string> expected = {};  // digest of the file it replaces; empty: there is none
  bool durable = false;                      // flushed to disk before it is reported as written
};

struct FileContent {
  std::uint64_t next = 0;  // after the last byte
  bool eof = false;
  FileInfo file;
};

// One of several changes that are applied together.
struct FileEdit {
  link::ChangeKind kind = link::ChangeKind::modify;
  std::string path;  // the path afterwards; of remove, the path before
  std::string from = {};
  std::optional<std::string> content = {};  // absent: remove, or only move
  std::string expected = {};                // digest of the file before; of move, at `from`
  std::optional<std::uint32_t> mode = {};   // of create
};

struct FilesQuery {
  TargetPath directory;
  bool deep = false;
  bool digests = false;
  std::size_t most = 100'000;  // entries; more are an error, unless these are enough:
  bool first_ones = false;
};

// Where a path leads, and lines of that file.
struct LocatedLines {
  Result<link::LocateFileReport> place;
  Result<link::ReadLinesReport> lines;
};

// A path that cannot be used is an error that says why. `*this` must outlive each call.
class Files {
 public:
  virtual ~Files() = default;

  // Nothing if it does not exist. `follow`: follows a symbolic link.
  virtual Task<Result<std::optional<FileInfo>>> stat(TargetPath path, bool follow, bool digest) = 0;
  // `max` 0: to the end of the file.
  virtual Task<Result<FileContent>> read(TargetPath path, std::uint64_t from, std::uint64_t max,
                                         std::function<void(std::string_view)> on_data,
                                         CancelToken cancel) = 0;
  // A range of its lines (first_line counts from 1; without limits: as much as one answer holds).
  virtual Task<Result<link::ReadLinesReport>> read_lines(link::ReadLines window,
                                                         CancelToken cancel) = 0;
  // See docs/reference/search.md.
  virtual Task<Result<link::SearchReport>> search(link::SearchFiles query, CancelToken cancel) = 0;
  // Sends several at a time. The results are in the order of `files`; a failure does not stop the
  // others.
  virtual Task<std::vector<Result<FileInfo>>> write(std::vector<FileToWrite> files,
                                                    CancelToken cancel) = 0;
  // Resolves a path as a command of the session would.
  virtual Task<Result<link::LocateFileReport>> locate(link::LocateFile wanted) = 0;
  // Both at once: the lines `window` of the file that `wanted` names. The file may be replaced in
  // between: device and inode show whether the lines are from it.
  virtual Task<LocatedLines> locate_and_read(link::LocateFile wanted, link::ReadLines window,
                                             CancelToken cancel) {
    LocatedLines found{co_await locate(std::move(wanted)), fail(ErrorKind::not_found, "no file")};
    if (!found.place) co_return found;
    window.path = found.place->real;
    found.lines = co_await read_lines(std::move(window), std::move(cancel));
    co_return found;
  }
  // Applies all of them or none. Returns the files afterwards, in order; a removed one has no path.
  virtual Task<Result<std::vector<FileInfo>>> change(std::vector<FileEdit> edits,
                                                     CancelToken cancel) = 0;
  // Removes files and links; missing ones are not an error. An error names the first that is left.
  virtual Task<Result<void>> remove(std::vector<std::string> paths, std::string below) = 0;
  // Directories before their entries; paths are relative to the directory.
  virtual Task<Result<std::vector<FileInfo>>> list(FilesQuery query, CancelToken cancel) = 0;
};

}  // namespace talaria::environment
