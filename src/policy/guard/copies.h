// Copies: what a text has copied or moved that is not everybody's business, and what it is called
// now. A copy is as private as its source.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/guard/rules/arguments.h"

namespace talaria::guard {

class Copies {
 public:
  void note(const Arguments& arguments);

  // The command with the names of the originals; nothing: it names no copy. `around`: a directory
  // in which there is a copy with secrets counts as it.
  std::optional<SeenCommand> with_originals(const Arguments& arguments, bool around) const;

  // Whether a directory with secrets in it was copied into the project.
  bool have_secrets() const { return have_secrets_; }

 private:
  struct Copy {
    std::string to;  // folded
    std::string from;
    bool deep = false;           // what is below it is a copy, too
    bool holds_secrets = false;  // so that what it is in counts as it
  };

  void add(const Arguments& arguments, const SeenWord& from, const std::string& to, bool deep);
  // The original of a path; empty: it is no copy.
  std::string original_of(const Arguments& arguments, const std::string& path, bool around) const;

  std::vector<Copy> copies_;
  bool have_secrets_ = false;
};

}  // namespace talaria::guard
