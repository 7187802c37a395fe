// Files of the home that commands at other targets get besides skills and caches, such as the token
// of a service. See docs/guide/files-at-targets.md.
#pragma once

#include <string>

namespace talaria {

// A requested file that is not shared.
struct RefusedFile {
  std::string path = {};
  std::string reason = {};  // it does not exist, is not a file, or leads out of the home
};

}  // namespace talaria
