// AsioFiles: files at targets, byte for byte, for programs with an Asio loop. Policy decides as it
// does about the file tools.
#pragma once

#include <talaria/cancel.h>
#include <talaria/file.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "api/asio_runtime.h"
#include "base/file_stream.h"

namespace talaria {

class AsioFiles {
 public:
  // Its calls are `caller`'s and end with `cancel`.
  AsioFiles(const AsioRuntime& runtime, FileCaller caller, Cancel cancel = {})
      : core_(runtime.core()), caller_(std::move(caller)), cancel_(std::move(cancel)) {}

  // `max` 0: as much as one answer may have. Fewer bytes may come than were asked for.
  boost::asio::awaitable<Result<FilePart>> read(std::string path, std::uint64_t from,
                                                std::uint64_t max);
  // How many bytes.
  boost::asio::awaitable<Result<std::uint64_t>> write(FileWriting what);
  // Of a link itself.
  boost::asio::awaitable<Result<FileStat>> stat(std::string path);
  // To a depth of 1 (what is right in it) or more; links are not followed.
  boost::asio::awaitable<Result<FileList>> list(std::string path, std::size_t depth,
                                                std::size_t most);
  boost::asio::awaitable<Result<void>> remove(std::string path, bool recursive);
  boost::asio::awaitable<Result<void>> make_directory(std::string path, bool parents,
                                                      std::optional<std::uint32_t> mode);
  boost::asio::awaitable<Result<void>> rename(std::string from, std::string to, bool overwrite);

  // The data of `what` comes from the source; the file is there only when all of it has come.
  boost::asio::awaitable<Result<Transferred>> upload(FileWriting what, FileSource source);
  boost::asio::awaitable<Result<Transferred>> download(std::string path, FileSink sink);
  // A tar archive that is unpacked into a directory, and one of what is in a directory. They need
  // `tar` at the target.
  boost::asio::awaitable<Result<Transferred>> upload_tree(std::string path, FileSource source);
  boost::asio::awaitable<Result<Transferred>> download_tree(std::string path, FileSink sink);

 private:
  std::shared_ptr<AsioRuntime::Core> core_;
  FileCaller caller_;
  Cancel cancel_;
};

}  // namespace talaria
