// FileChanges: several files changed together, or none of them (ChangeFiles in
// link/edit_messages.h).
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "base/result.h"
#include "link/edit_messages.h"
#include "runner/files/uploads.h"

namespace talaria {

class FileChanges {
 public:
  Result<ChangeFilesReport> apply(const std::string& home, Uploads& uploads,
                                  const ChangeFiles& changes);

 private:
  std::deque<std::pair<std::string, ChangeFilesReport>> done_;  // in case they come again
};

}  // namespace talaria
