// Files at a target without a runner: unavailable; commands must be used instead.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "environment/files.h"

namespace talaria::environment::plain {

class PlainFiles final : public Files {
 public:
  // `why` no runner is there.
  explicit PlainFiles(std::string why) : why_(std::move(why)) {}

  Task<Result<std::optional<FileInfo>>> stat(TargetPath path, bool follow, bool digest) override;
  Task<Result<FileContent>> read(TargetPath path, std::uint64_t from, std::uint64_t max,
                                 std::function<void(std::string_view)> on_data,
                                 CancelToken cancel) override;
  Task<Result<link::ReadLinesReport>> read_lines(link::ReadLines window,
                                                 CancelToken cancel) override;
  Task<Result<link::SearchReport>> search(link::SearchFiles query, CancelToken cancel) override;
  Task<std::vector<Result<FileInfo>>> write(std::vector<FileToWrite> files,
                                            CancelToken cancel) override;
  Task<Result<link::LocateFileReport>> locate(link::LocateFile wanted) override;
  Task<Result<std::vector<FileInfo>>> change(std::vector<FileEdit> edits,
                                             CancelToken cancel) override;
  Task<Result<void>> remove(std::vector<std::string> paths, std::string below) override;
  Task<Result<std::vector<FileInfo>>> list(FilesQuery query, CancelToken cancel) override;

 private:
  std::unexpected<Error> none() const;

  std::string why_;
};

}  // namespace talaria::environment::plain
