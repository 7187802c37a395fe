// LinkFiles: Files at a runner, over a link.
#pragma once

#include <memory>

#include "environment/files.h"
#include "link/driver.h"
#include "link/file_messages.h"

namespace talaria::environment {

class LinkFiles final : public Files {
 public:
  explicit LinkFiles(std::shared_ptr<link::LinkDriver> driver) : driver_(std::move(driver)) {}

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
  Task<LocatedLines> locate_and_read(link::LocateFile wanted, link::ReadLines window,
                                     CancelToken cancel) override;
  Task<Result<std::vector<FileInfo>>> change(std::vector<FileEdit> edits,
                                             CancelToken cancel) override;
  Task<Result<void>> remove(std::vector<std::string> paths, std::string below) override;
  Task<Result<std::vector<FileInfo>>> list(FilesQuery query, CancelToken cancel) override;

 private:
  Task<Result<link::ChangedFile>> stage(FileEdit edit, CancelToken cancel);
  Task<Result<FileInfo>> write_large(FileToWrite file, link::WriteFile first, CancelToken cancel);

  std::shared_ptr<link::LinkDriver> driver_;
};

}  // namespace talaria::environment
