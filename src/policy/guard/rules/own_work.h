// OwnWork: what a text has made so far: containers, databases, worktrees, clusters. Stopping or
// removing that again is not worth a question, nor is what tests have made, by its name.
#pragma once

#include <set>
#include <string>

#include "policy/guard/rules/arguments.h"

namespace talaria::guard {

class OwnWork {
 public:
  void note(const SeenCommand& command, const Arguments& arguments);

  // Whether it only ends what the text has made, or runs in a container that it has made.
  bool covers(const SeenCommand& command, const Arguments& arguments) const;

 private:
  void note_repository(const SeenCommand& command, const Arguments& arguments);
  void note_panes(const SeenCommand& command);
  bool types_into_own_panes(const SeenCommand& command) const;
  bool is_own_repository(const SeenCommand& command, const Arguments& arguments) const;

  std::set<std::string> made_;  // "docker web", "dropdb x", "compose agenttest"
  // The names of repositories that it made below what mktemp gave, and whether it is in one.
  std::set<std::string> repositories_;
  bool in_own_repository_ = false;
  bool in_temporary_ = false;
  bool in_fresh_container_ = false;  // the commands that follow are those of a `docker run`
};

}  // namespace talaria::guard
