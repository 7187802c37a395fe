// Links: names that the text has given to files and directories that are somewhere else: ln -s,
// mount --bind. What goes through one is judged by where it leads.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

class Links {
 public:
  // `path` from the root, as far as that is known. A relative target is relative to the link. One
  // that is not `certain` may still lead where it led before. Whatever is done to a name that
  // something is mounted at is done to that.
  void add(std::string_view path, std::string_view target, bool certain, bool mounted = false);

  bool empty() const { return links_.empty(); }
  // Where a path leads; nothing: through no link. `last`: also if it is a link itself.
  std::optional<std::string> target_of(std::string_view path, bool last) const;
  // The same command where each path in it leads; nothing: none of them goes through a link.
  std::optional<SeenCommand> followed(const SeenCommand& seen) const;

 private:
  struct Link {
    std::string target;
    bool mounted = false;
  };
  const Link* find(std::string_view path) const;
  std::optional<std::string> target_of(std::string_view path, bool last, int depth) const;

  std::map<std::string, Link, std::less<>> links_;
};

// From the root, where the directory is known.
std::string path_in(std::string_view directory, std::string_view path);

}  // namespace talaria::guard
