// BoundPath: a file or directory of this machine that a container shows under another name,
// read-only (`-v host:container:ro`, `--bind host:container:ro`).
#pragma once

#include <string>

namespace talaria::environment {

struct BoundPath {
  std::string host;
  std::string container;
  friend bool operator==(const BoundPath&, const BoundPath&) = default;
};

}  // namespace talaria::environment
