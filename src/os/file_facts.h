// FileFacts and FileId: what the kernel says of a file.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace talaria::os {

enum class FileKind : std::uint32_t { file = 0, directory = 1, link = 2, other = 3 };

struct FileFacts {
  FileKind kind = FileKind::file;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;  // since 1970
  std::uint32_t mode = 0;     // the permissions: 12 bits
  friend bool operator==(const FileFacts&, const FileFacts&) = default;
};

FileFacts facts_of(const struct stat& info);

// The time `ns` nanoseconds after (or, negative, before) the beginning of 1970.
timespec to_timespec(std::int64_t ns);

// Of the link, if it is one. Nothing if there is no such file; errno then says why.
std::optional<FileFacts> file_facts(int directory, const std::string& name);
std::optional<FileFacts> file_facts(const std::string& path);
std::optional<FileFacts> file_facts(int fd);

// What a symbolic link says; empty: it is none.
std::string link_text(int directory, const std::string& name);

// Which file a name or a descriptor leads to. Unique as long as the file is open or has a name.
struct FileId {
  dev_t device = 0;
  ino_t number = 0;
  friend bool operator==(const FileId&, const FileId&) = default;
};

std::optional<FileId> file_id(int fd);
std::optional<FileId> file_id(const std::string& path);  // of the link, if it is one

}  // namespace talaria::os
