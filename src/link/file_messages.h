// What can be asked of a runner about files at its target (messages.h says what all requests have
// in common). Contents travel as they are: no shell, no encoding.
//
// A path is absolute, or "~" or "~/x": the home there. If `below` is set, which is such a path,
// then `path` is one below it, and no link on the way is followed: nothing outside is read or
// changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "link/messages.h"

namespace talaria::link {

enum class EntryKind : std::uint32_t { file = 0, directory = 1, link = 2, other = 3 };

struct FileEntry {
  std::string path;
  EntryKind kind = EntryKind::file;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;  // since 1970, by the target's clock
  std::uint32_t mode = 0;     // the permissions: 12 bits
  std::string sha256;         // of a file of up to 256 MiB that could be read, if it was asked for
  std::string link_to;        // of a link, in the answers to StatFile and ListFiles: what it says
  std::uint32_t uid = 0;      // this and the next: in the answer to StatFile
  std::uint32_t gid = 0;
  friend bool operator==(const FileEntry&, const FileEntry&) = default;
};

// Answered by StatFileReport. A path that does not exist is not an error.
struct StatFile {
  static constexpr Method kMethod = Method::stat_file;

  std::string path;
  std::string below;
  bool follow = false;  // what a link leads to; not with `below`
  bool digest = false;
  friend bool operator==(const StatFile&, const StatFile&) = default;
};

struct StatFileReport {
  bool found = false;
  FileEntry entry;       // its path is absolute
  bool foreign = false;  // it belongs to another user than the runner's
  friend bool operator==(const StatFileReport&, const StatFileReport&) = default;
};

// Content as DATA from `from`, then ReadFileReport. Only regular files can be read; links to one
// are followed, unless `below` is set.
struct ReadFile {
  static constexpr Method kMethod = Method::read_file;

  std::string path;
  std::string below;
  std::uint64_t from = 0;
  std::uint64_t max = 0;  // bytes; 0: to its end, as it is when that is reached
  friend bool operator==(const ReadFile&, const ReadFile&) = default;
};

struct ReadFileReport {
  std::uint64_t next = 0;  // behind the last byte sent
  bool eof = false;        // which is the last of the file
  FileEntry entry;         // the file, as it was when the last byte had been read
  friend bool operator==(const ReadFileReport&, const ReadFileReport&) = default;
};

// A window of a regular file's lines. Answered by ReadLinesReport. The runner remembers where lines
// are, so that the next page of a large file costs no second look at what is before it.
struct ReadLines {
  static constexpr Method kMethod = Method::read_lines;

  std::string path;
  std::string below;
  std::uint64_t first_line = 0;  // the first of a file is 1; 0 is the same
  std::uint64_t max_lines = 0;   // 0: as many as go into one answer
  std::uint64_t max_bytes = 0;   // likewise
  // `path` is what LocateFile with these would understand by it.
  bool in_session = false;
  std::string session;
  std::string first_cwd;
  std::string home;
  friend bool operator==(const ReadLines&, const ReadLines&) = default;
};

struct ReadLinesReport {
  std::string data;                // the lines, with their newlines
  std::uint64_t lines = 0;         // in `data`, also one that is not there to its end
  std::uint64_t offset = 0;        // of `data` in the file
  bool cut = false;                // there was no room for the rest of its last line
  std::uint64_t total_lines = 0;   // of the file; what stands behind its last newline is one, too
  bool ends_with_newline = false;  // the file
  FileEntry entry;                 // the file, as it was when this was read
  std::uint64_t device = 0;        // which file it is
  std::uint64_t inode = 0;
  std::string head;  // its first 1000 bytes
  friend bool operator==(const ReadLinesReport&, const ReadLinesReport&) = default;
};

// Replaces a file in one step, by one or several of these with the same `upload`: a reader sees the
// old content or all of the new one, also after a crash. Until the last piece has come nothing is
// seen of it, and an upload that is not continued for a minute leaves nothing behind. Each is
// answered by WriteFileReport. A piece that comes again is known by its cursor. Behind the first
// one pieces may overtake each other, as far as its answer says; the last comes when all are there.
struct WriteFile {
  static constexpr Method kMethod = Method::write_file;

  std::string path;
  std::string below;
  std::string upload;      // chosen by the caller, unique
  std::uint64_t from = 0;  // cursor of data's first byte
  std::string data;
  bool last = false;       // behind `data` the file ends: put it in place
  std::uint64_t size = 0;  // what it will be in all, if known: no room for it is said at once
  std::optional<std::uint32_t> mode;  // absent: mode and owner of the file in its place, else 0644
  std::int64_t mtime_ns = 0;          // 0: now
  std::optional<std::uint32_t> parents;  // makes directories that are missing, with this mode
  // What the file in its place must hold (SHA-256), or, empty, that there is none. Absent:
  // anything.
  std::optional<std::string> expected;
  bool durable = false;  // it is on disk before it is in place, so that it survives a power cut
  friend bool operator==(const WriteFile&, const WriteFile&) = default;
};

struct WriteFileReport {
  std::uint64_t next = 0;   // cursor behind the last byte taken
  bool done = false;        // it is in place
  FileEntry entry;          // then: what is there now
  std::uint64_t ahead = 0;  // so many bytes may be under way at once; 0: one piece
  friend bool operator==(const WriteFileReport&, const WriteFileReport&) = default;
};

// Removes files and links, no directories. Answered by RemoveFilesReport.
struct RemoveFiles {
  static constexpr Method kMethod = Method::remove_files;

  std::vector<std::string> paths;
  std::string below;
  friend bool operator==(const RemoveFiles&, const RemoveFiles&) = default;
};

struct FileFlaw {
  std::string path;
  std::string reason;
  friend bool operator==(const FileFlaw&, const FileFlaw&) = default;
};

struct RemoveFilesReport {
  std::uint64_t removed = 0;
  std::vector<FileFlaw> failed;  // not those that were not there
  friend bool operator==(const RemoveFilesReport&, const RemoveFilesReport&) = default;
};

// What is in a directory, page by page. Answered by ListFilesReport.
struct ListFiles {
  static constexpr Method kMethod = Method::list_files;

  std::string path;
  std::string below;
  bool deep = false;  // also what is in the directories in it; no link is followed
  bool digests = false;
  std::string after;      // only what comes behind this path of an entry
  std::uint64_t max = 0;  // entries; 0: as many as go into one answer
  friend bool operator==(const ListFiles&, const ListFiles&) = default;
};

struct ListFilesReport {
  std::vector<FileEntry>
      entries;                    // their paths are below the directory, directories before what is
                                  //   in them
  bool more = false;              // behind the last of them
  std::uint64_t passed_over = 0;  // directories that could not be read, or lie too deep
  friend bool operator==(const ListFilesReport&, const ListFilesReport&) = default;
};

}  // namespace talaria::link
