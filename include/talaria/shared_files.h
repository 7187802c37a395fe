// Files of the home that commands at other targets get besides skills and caches: the token of a
// service, a key. docs/guide/files-at-targets.md says what goes where.
#pragma once

#include <string>

namespace talaria {

// One that was asked for and is not shared.
struct RefusedFile {
  std::string path;
  std::string reason;  // it is not there, is no file, or leads out of the home
};

}  // namespace talaria
