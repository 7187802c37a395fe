// Links: names of files and directories that are somewhere else: those that the text makes (ln -s,
// mount --bind), and those that were there before. What goes through one is judged by where it
// leads, too.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/context.h"
#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

class Links {
 public:
  // `source`: of those that were there before; null: they are not known. `start`: where the text
  // starts; no part of it is a link.
  explicit Links(const LinkSource* source = nullptr, std::string_view start = "")
      : source_(source), start_(start) {}

  // `path` from the root, as far as that is known. A relative target is relative to the link. One
  // that is not `certain` may still lead where it led before. Whatever is done to a name that
  // something is mounted at is done to that.
  void add(std::string_view path, std::string_view target, bool certain, bool mounted = false);

  bool empty() const { return links_.empty() && source_ == nullptr; }
  // There were more paths than are looked up.
  bool gave_up() const { return lookups_ > kMaxLookups; }
  // Where a path leads; nothing: through no link. `last`: also if it is a link itself.
  std::optional<std::string> target_of(std::string_view path, bool last) const;
  // The same command where each path in it leads; nothing: none of them goes through a link.
  std::optional<SeenCommand> followed(const SeenCommand& seen) const;

 private:
  struct Link {
    std::string target;
    bool mounted = false;
  };
  static constexpr std::size_t kMaxLookups = 20'000;

  const Link* find(std::string_view path) const;
  const Link* look_up(std::string_view path) const;
  std::vector<std::string> meant_by(const SeenWord& word, std::string path) const;
  std::vector<SeenWord> targets_of(const SeenCommand& seen, std::size_t at) const;
  std::optional<std::string> target_of(std::string_view path, bool last, int depth) const;

  const LinkSource* source_;
  std::string_view start_;
  std::map<std::string, Link, std::less<>> links_;
  mutable std::map<std::string, std::optional<Link>, std::less<>> looked_up_;
  mutable std::size_t lookups_ = 0;
};

// From the root, where the directory is known. /proc/self/cwd is that directory, too.
std::string path_in(std::string_view directory, std::string_view path);

}  // namespace talaria::guard
