// Files at a target, byte for byte, for programs. Models have the file tools.
#pragma once

#include <talaria/export.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// Whose files, and who asks. A relative path is below the directory of the session.
struct FileCaller {
  std::string task = {};
  std::string session_key = {};
  bool waits_for_approval = true;    // as in Command
  std::string first_directory = {};  // likewise
};

enum class FileType { file, directory, link, other };

// "file", "directory", "link", "other".
TALARIA_API std::string_view file_type_name(FileType type);

struct FileStat {
  std::string path = {};  // absolute; in a list, below the directory
  FileType type = FileType::file;
  std::uint64_t size = 0;
  std::uint32_t mode = 0;  // the permissions: 12 bits
  std::chrono::system_clock::time_point modified = {};
  std::string link_to = {};  // what a link says
  std::uint32_t uid = 0;     // this and the next: not in a list
  std::uint32_t gid = 0;
};

struct FileList {
  std::vector<FileStat> entries = {};
  bool truncated = false;  // there are more
};

struct FilePart {
  std::string data = {};
  std::uint64_t from = 0;
  std::uint64_t next = 0;  // behind the last byte
  std::uint64_t size = 0;  // of the file
  bool eof = false;
};

struct FileWriting {
  std::string path = {};
  std::string data = {};
  bool append = false;                     // else it is replaced in one step
  std::optional<std::uint32_t> mode = {};  // absent: that of the file there, or as usual
  bool parents = true;                     // makes directories that are missing
};

struct Transferred {
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;  // of a tree
  std::string sha256 = {};  // of the bytes: of the file, or of the archive
};

}  // namespace talaria
