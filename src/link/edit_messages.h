// What one who edits files asks of a runner, beside reading and writing (file_messages.h): where a
// path leads, and several changes that are made together or not at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "link/file_messages.h"

namespace talaria::link {

// Where a path leads, as a command of a session would understand it. Answered by LocateFileReport;
// a path that does not exist is not an error.
struct LocateFile {
  static constexpr Method kMethod = Method::locate_file;

  std::string path;       // absolute, below the session's directory, "~", "~/x" or "~user/x"
  std::string session;    // whose directory and umask count; empty: no session's
  std::string first_cwd;  // the directory of a session that is new
  std::string home;       // what "~" is, unless the session says otherwise; empty: the runner's
  std::uint64_t neighbours = 0;  // if it does not exist: report so many names of files beside it
  friend bool operator==(const LocateFile&, const LocateFile&) = default;
};

struct LocateFileReport {
  std::string path;       // absolute, without "." and ".."
  std::string real;       // no part of it is a link, as far as anything is there
  std::string directory;  // of the session
  std::string home;
  bool found = false;
  FileEntry entry;  // what `real` is
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool has_parent = false;             // the directory it is, or would be, in is there
  std::optional<std::uint32_t> umask;  // of the session, if it has one
  std::vector<std::string> neighbours;
  friend bool operator==(const LocateFileReport&, const LocateFileReport&) = default;
};

enum class ChangeKind : std::uint32_t { create = 0, modify = 1, remove = 2, move = 3 };

struct ChangedFile {
  ChangeKind kind = ChangeKind::create;
  std::string path;    // where it is afterwards; of remove, where it was
  std::string from;    // of move
  std::string upload;  // the new content, all of it uploaded by WriteFile but not put in place
                       //   (none of its pieces was the last); of move: empty if it stays the same
  std::uint64_t size = 0;             // of that content
  std::string expected;               // digest of what was there: at `from`, of move
  std::optional<std::uint32_t> mode;  // of create; absent: 0644
  friend bool operator==(const ChangedFile&, const ChangedFile&) = default;
};

// All of them, or none. No two put something in the same place, and no two take the same file away;
// files may trade places, and one may be removed for another that moves to its place. Answered by
// ChangeFilesReport; if one cannot be made, those before it are taken back.
struct ChangeFiles {
  static constexpr Method kMethod = Method::change_files;

  std::string id;  // chosen by the caller, unique: sent twice, it is done once
  std::vector<ChangedFile> files;
  friend bool operator==(const ChangeFiles&, const ChangeFiles&) = default;
};

// In the message of its error if that could not be done for all of them.
inline constexpr std::string_view kNotTakenBack = "not everything could be taken back";

struct ChangeFilesReport {
  std::vector<FileEntry> entries;  // of what is there now, in the order of the changes; what was
                                   //   removed has no path
  friend bool operator==(const ChangeFilesReport&, const ChangeFilesReport&) = default;
};

}  // namespace talaria::link
