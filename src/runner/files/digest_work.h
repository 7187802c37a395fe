// DigestWork: the digest of a file that may be large, a piece of it at a time, so that everything
// else gets its turn.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/sha256.h"
#include "os/unique_fd.h"

namespace talaria::runner {

class DigestWork {
 public:
  explicit DigestWork(os::UniqueFd file) : file_(std::move(file)) {}

  // Does some of it. The digest once that is all, empty if the file could not be read to its end.
  std::optional<std::string> go_on();

 private:
  os::UniqueFd file_;
  Sha256 digest_;
};

}  // namespace talaria::runner
