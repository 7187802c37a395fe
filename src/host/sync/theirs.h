// Reading a file of a target that may say anything about it.
#pragma once

#include <string>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/files.h"

namespace talaria::host {

// Writes it to `to`. Returns its digest. An error if it is not what `file` says, whose path is
// below `base`. A target that sends more than it said is not listened to any longer.
Task<Result<std::string>> receive(environment::Files& files, std::string base,
                                  environment::FileInfo file, int to, CancelToken cancel);

// A copy of a file of the target that is about to be replaced or removed there.
struct KeptTheirs {
  std::string path;
  bool is_new = true;  // else it was kept before
};
Task<Result<KeptTheirs>> keep_theirs(environment::Files& files, std::string home, std::string base,
                                     environment::FileInfo file, CancelToken cancel);

}  // namespace talaria::host
