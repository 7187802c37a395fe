// The variables this process was started with, to hand them on.
#pragma once

#include <unistd.h>

#include <vector>

namespace talaria {

// NAME=value, borrowed: valid as long as nobody changes the environment.
inline std::vector<const char*> own_environment() {
  std::vector<const char*> entries;
  for (char** entry = ::environ; *entry != nullptr; ++entry) entries.push_back(*entry);
  return entries;
}

}  // namespace talaria
