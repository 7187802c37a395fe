// The entries of a directory, as the kernel reports them: names and, usually, types.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace talaria::runner {

struct DirectoryName {
  std::string name;
  bool is_directory = false;
  bool is_file = false;  // neither: a link, pipe, ...
};

// All but "." and "..", in no order. `fd` is read to its end.
Result<std::vector<DirectoryName>> directory_names(int fd);

}  // namespace talaria::runner
