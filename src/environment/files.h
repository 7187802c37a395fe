// Files: those of an environment. The runner reads and writes them, as they are: no shell, no
// encoding, and a file is replaced in one step.
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

// A file at the target: absolute, "~" or "~/x". With `below`, which is such a path, `path` is below
// that one, and no link on the way is followed.
struct TargetPath {
  std::string path;
  std::string below = {};
};

struct FileInfo {
  std::string path;
  os::FileFacts facts;
  std::string sha256;    // if it was asked for; empty: over 256 MiB, or it cannot be read
  bool foreign = false;  // of stat: it belongs to another user than the one files are written as
};

struct FileToWrite {
  TargetPath to;
  std::uint64_t size = 0;  // about: what there will be
  // The next bytes, at most so many; empty: that was all. Asked when they are to be sent.
  std::function<Result<std::string>(std::size_t most)> next;
  std::optional<std::uint32_t> mode = {};     // absent: as the file in its place
  std::int64_t mtime_ns = 0;                  // 0: now
  std::optional<std::uint32_t> parents = {};  // the mode of directories to make; absent: make none
  std::optional<std::string> expected = {};   // digest of what it replaces; empty: there is nothing
  bool durable = false;                       // survives a power cut
};

struct FileContent {
  std::uint64_t next = 0;  // behind the last byte
  bool eof = false;
  FileInfo file;
};

// One of several changes that are made together.
struct FileEdit {
  link::ChangeKind kind = link::ChangeKind::modify;
  std::string path;  // where it is afterwards; of remove, where it was
  std::string from = {};
  std::optional<std::string> content = {};  // absent: remove, or a move that changes nothing else
  std::string expected = {};                // digest of what was there; of move, at `from`
  std::optional<std::uint32_t> mode = {};   // of create
};

struct FilesQuery {
  TargetPath directory;
  bool deep = false;
  bool digests = false;
  std::size_t most = 100'000;  // entries; more are an error
};

// Where a path leads, and lines of what is there.
struct LocatedLines {
  Result<link::LocateFileReport> place;
  Result<link::ReadLinesReport> lines;
};

// A path that cannot be had is an error that says why. `*this` must outlive each call.
class Files {
 public:
  virtual ~Files() = default;

  // Nothing if there is none. `follow`: what a link leads to.
  virtual Task<Result<std::optional<FileInfo>>> stat(TargetPath path, bool follow, bool digest) = 0;
  // `max` 0: to its end.
  virtual Task<Result<FileContent>> read(TargetPath path, std::uint64_t from, std::uint64_t max,
                                         std::function<void(std::string_view)> on_data,
                                         CancelToken cancel) = 0;
  // A window of its lines (first_line is 1 for the first; no limits: what one answer holds).
  virtual Task<Result<link::ReadLinesReport>> read_lines(link::ReadLines window,
                                                         CancelToken cancel) = 0;
  // What matches, and where. See docs/reference/search.md.
  virtual Task<Result<link::SearchReport>> search(link::SearchFiles query, CancelToken cancel) = 0;
  // Several at a time are on their way. The answers are in the order of `files`; one that fails
  // does not stop the others.
  virtual Task<std::vector<Result<FileInfo>>> write(std::vector<FileToWrite> files,
                                                    CancelToken cancel) = 0;
  // Where a path leads, as a command of the session would understand it.
  virtual Task<Result<link::LocateFileReport>> locate(link::LocateFile wanted) = 0;
  // Both at once: `window` says which lines, of the file that `wanted` means. Somebody may change
  // what is there in between: device and inode say whether the lines are that file's.
  virtual Task<LocatedLines> locate_and_read(link::LocateFile wanted, link::ReadLines window,
                                             CancelToken cancel) {
    LocatedLines found{co_await locate(std::move(wanted)), fail(ErrorKind::not_found, "no file")};
    if (!found.place) co_return found;
    window.path = found.place->real;
    found.lines = co_await read_lines(std::move(window), std::move(cancel));
    co_return found;
  }
  // All of them or none. What is there afterwards, in their order; what was removed has no path.
  virtual Task<Result<std::vector<FileInfo>>> change(std::vector<FileEdit> edits,
                                                     CancelToken cancel) = 0;
  // Files and links; it is no error if there is none. An error names the first that is left.
  virtual Task<Result<void>> remove(std::vector<std::string> paths, std::string below) = 0;
  // Directories before what is in them; paths are below the directory.
  virtual Task<Result<std::vector<FileInfo>>> list(FilesQuery query, CancelToken cancel) = 0;
};

}  // namespace talaria::environment
