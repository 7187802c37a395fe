// IgnoreRules: the lines of a .gitignore or a file like it, and the globs of a query, which have
// the same form. IgnoreLevel: what they say of the files below one directory, together with those
// of the directories above it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runner/search/glob.h"

namespace talaria::runner {

enum class Verdict { none, ignored, wanted };

class IgnoreRules {
 public:
  // A line that is not a valid glob is ignored, as in git.
  static IgnoreRules of_file(std::string_view text);
  // Here it is an error.
  Result<void> add(std::string_view line);

  bool empty() const { return rules_.empty(); }
  // The last rule that fits decides. `path` is seen from the directory of the rules.
  Verdict judge(std::string_view path, std::string_view name, bool is_directory) const;
  // Whether there is a rule that does not begin with "!".
  bool has_plain() const { return has_plain_; }

 private:
  struct Rule {
    Glob glob;
    bool negated = false;
    bool only_directories = false;
  };

  std::vector<Rule> rules_;
  bool has_plain_ = false;
};

// What stands in one directory. Rules of a .ignore go before those of any .gitignore, a .rgignore
// before both; of each kind the nearest that says something decides. A .gitignore counts only
// inside of a repository, and only up to its top.
struct IgnoreLevel {
  std::shared_ptr<const IgnoreLevel> above;
  std::string prefix;    // what to put before a path, as seen from the root (above the root) ...
  std::size_t drop = 0;  // ... or how much to leave off at its beginning (below it)
  IgnoreRules rgignore;
  IgnoreRules ignore;
  IgnoreRules gitignore;
  IgnoreRules exclude;  // .git/info/exclude
  bool has_git = false;
  bool in_repository = false;  // this one or one above has_git

  bool says_nothing() const {
    return rgignore.empty() && ignore.empty() && gitignore.empty() && exclude.empty() && !has_git;
  }
};

// `path` is seen from the root of the search.
Verdict judge(const IgnoreLevel* level, const std::string& path, std::string_view name,
              bool is_directory);

// Adds what is in the directory `fd` (files may be absent). `found`: which of the names
// stand in it, if that is known; empty: look for all.
struct IgnoreNames {
  bool rgignore = true;
  bool ignore = true;
  bool gitignore = true;
  bool git = true;
};
void read_rules(IgnoreLevel& level, int fd, const IgnoreNames& found);

// Those of the directories above a root, which is absolute and without links in it.
std::shared_ptr<const IgnoreLevel> rules_above(const std::string& root);

}  // namespace talaria::runner
