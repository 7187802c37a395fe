// FileService: files at a target for programs: bytes, directories, trees. Policy decides as it does
// about the file tools, and the same files are left alone.
#pragma once

#include <talaria/file.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/file_stream.h"
#include "base/result.h"
#include "base/task.h"
#include "tools/files/file_approval.h"
#include "tools/files/file_call.h"
#include "tools/tool.h"

namespace talaria::tool {

// The errors of all: bad_request, not_found, denied, limit; and those of the target. `call`
// outlives them.
class FileService {
 public:
  explicit FileService(ToolCall& call) : call_(&call) {}

  // `max` 0: as much as one answer may have (kMaxFilePart).
  Task<Result<FilePart>> read(std::string path, std::uint64_t from, std::uint64_t max) const;
  Task<Result<std::uint64_t>> write(FileWriting what) const;
  Task<Result<FileStat>> stat(std::string path) const;
  // To a depth of 1 (what is right in it) or more.
  Task<Result<FileList>> list(std::string path, std::size_t depth, std::size_t most) const;
  Task<Result<void>> remove(std::string path, bool recursive) const;
  Task<Result<void>> make_directory(std::string path, bool parents,
                                    std::optional<std::uint32_t> mode) const;
  Task<Result<void>> rename(std::string from, std::string to, bool overwrite) const;

  // The data of `what` comes from the source.
  Task<Result<Transferred>> upload(FileWriting what, FileSource source) const;
  Task<Result<Transferred>> download(std::string path, FileSink sink) const;
  // A tar archive, unpacked into the directory `path`, which is made; and one of what is in it.
  Task<Result<Transferred>> upload_tree(std::string path, FileSource source) const;
  Task<Result<Transferred>> download_tree(std::string path, FileSink sink) const;

 private:
  ToolCall* call_;
};

}  // namespace talaria::tool
