#include "environment/plain/plain_files.h"

namespace talaria::environment::plain {

std::unexpected<Error> PlainFiles::none() const {
  return fail(ErrorKind::unavailable,
              "files cannot be read or written over the plain transport, which is used because no "
              "runner can be at this target (" +
                  why_ + "); use commands");
}

Task<Result<std::optional<FileInfo>>> PlainFiles::stat(TargetPath /*path*/, bool /*follow*/,
                                                       bool /*digest*/) {
  co_return none();
}

Task<Result<FileContent>> PlainFiles::read(TargetPath /*path*/, std::uint64_t /*from*/,
                                           std::uint64_t /*max*/,
                                           std::function<void(std::string_view)> /*on_data*/,
                                           CancelToken /*cancel*/) {
  co_return none();
}

Task<Result<link::ReadLinesReport>> PlainFiles::read_lines(link::ReadLines /*window*/,
                                                           CancelToken /*cancel*/) {
  co_return none();
}

Task<Result<link::SearchReport>> PlainFiles::search(link::SearchFiles /*query*/,
                                                    CancelToken /*cancel*/) {
  co_return none();
}

Task<std::vector<Result<FileInfo>>> PlainFiles::write(std::vector<FileToWrite> files,
                                                      CancelToken /*cancel*/) {
  co_return std::vector<Result<FileInfo>>(files.size(), none());
}

Task<Result<link::LocateFileReport>> PlainFiles::locate(link::LocateFile /*wanted*/) {
  co_return none();
}

Task<Result<std::vector<FileInfo>>> PlainFiles::change(std::vector<FileEdit> /*edits*/,
                                                       CancelToken /*cancel*/) {
  co_return none();
}

Task<Result<void>> PlainFiles::remove(std::vector<std::string> /*paths*/, std::string /*below*/) {
  co_return none();
}

Task<Result<std::vector<FileInfo>>> PlainFiles::list(FilesQuery /*query*/, CancelToken /*cancel*/) {
  co_return none();
}

}  // namespace talaria::environment::plain
