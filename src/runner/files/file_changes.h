// FileChanges: several files changed together, or none of them (ChangeFiles in
// link/edit_messages.h).
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "base/result.h"
#include "link/edit_messages.h"
#include "runner/files/uploads.h"

namespace talaria::runner {

class FileChanges {
 public:
  Result<link::ChangeFilesReport> apply(const std::string& home, Uploads& uploads,
                                        const link::ChangeFiles& changes);

 private:
  std::deque<std::pair<std::string, link::ChangeFilesReport>> done_;  // in case they come again
};

}  // namespace talaria::runner
