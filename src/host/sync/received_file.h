// ReceivedFile: a file of a target on its way to its place here. Until it is complete it is below
// <home>/talaria/sync, so that an interruption leaves nothing in a directory of the user.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "os/below.h"
#include "os/file_facts.h"
#include "os/unique_fd.h"

namespace talaria::host {

// Where files are while they are received, and copies of ours that were replaced by others.
std::string parts_directory(const std::string& home);
std::string kept_directory(const std::string& home);

class ReceivedFile {
 public:
  static Result<ReceivedFile> open(const std::string& home);
  ReceivedFile(ReceivedFile&&) noexcept = default;
  ReceivedFile& operator=(ReceivedFile&&) = delete;
  ~ReceivedFile();  // without a trace, unless it was put in place

  int fd() const { return file_.get(); }

  // Replaces what is there, in one step. Of the file that it replaces it gets the mode.
  Result<void> put_in_place(const os::PlaceBelow& place, const os::FileFacts& facts);

 private:
  ReceivedFile(std::string path, os::UniqueFd file)
      : path_(std::move(path)), file_(std::move(file)) {}
  Result<void> move_to(const os::PlaceBelow& place);
  Result<void> copy_to(const os::PlaceBelow& place) const;

  std::string path_;
  os::UniqueFd file_;
};

// KeptFile: a copy in the directory of kept ones. It has a name there when it is complete.
class KeptFile {
 public:
  static Result<KeptFile> open(const std::string& home);
  KeptFile(KeptFile&&) noexcept = default;
  KeptFile& operator=(KeptFile&&) = delete;
  ~KeptFile();  // without a trace, unless it was kept

  int fd() const { return file_.get(); }

  // Returns its path. One that has this name already stays.
  Result<std::string> keep_as(const std::string& name);

 private:
  KeptFile(std::string directory, std::string part, os::UniqueFd file)
      : directory_(std::move(directory)), part_(std::move(part)), file_(std::move(file)) {}

  std::string directory_;
  std::string part_;  // its name meanwhile; empty: it has none
  os::UniqueFd file_;
};

// A copy of a file of ours that is about to be replaced. Returns its path.
Result<std::string> keep_copy(const std::string& home, const os::PlaceBelow& place);

// Removes the directory of parts, with what programs that were killed left in it. The caller has
// the lock of bringing back.
void remove_parts(const std::string& home);

}  // namespace talaria::host
