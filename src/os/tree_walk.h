// TreeWalk: all that is below a directory, one entry after the other. It goes by descriptors and
// follows no link, so that nothing outside is ever reached, even if the tree changes meanwhile. A
// directory comes before what is in it and names in the order of their bytes, so that a walk can be
// taken up again behind any path.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/file_facts.h"
#include "os/unique_fd.h"

namespace talaria::os {

struct TreeEntry {
  std::string path;  // below the root: "a/b"
  FileFacts facts;
  int directory = -1;  // where it is, open until the walk continues
  std::string name;    // its name there
};

class TreeWalk {
 public:
  // The root itself may be a link. `after`: a path that another walk has shown; only what comes
  // behind it, whether or not it is still there.
  static Result<TreeWalk> below(const std::string& root, std::string after = {});
  // The same for an open directory. Not `deep`: only what is right in it.
  static Result<TreeWalk> below(UniqueFd root, std::string after, bool deep);

  // Nothing: that was all.
  std::optional<TreeEntry> next();

  // Directories that could not be read, or lie too deep: what is in them was not shown.
  std::size_t passed_over() const { return passed_over_; }

 private:
  struct Level {
    UniqueFd directory;
    std::string path;  // of the directory, with "/" behind it; empty: the root
    std::vector<std::string> names;
    std::size_t next = 0;
  };

  TreeWalk() = default;
  bool enter(UniqueFd directory, std::string path);

  std::vector<Level> levels_;
  std::string after_;
  bool deep_ = true;
  std::size_t passed_over_ = 0;
};

}  // namespace talaria::os
