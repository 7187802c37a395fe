// CallGraph: which functions of a text call which, and which of those calls go on side by side. A
// function that leads back to itself that way starts more and more of them: a fork bomb.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "policy/guard/syntax/shell_syntax.h"

namespace talaria::guard {

class CallGraph {
 public:
  // The definition of a function, whose names are those of `definition`'s text.
  void add(const ShellCommand& definition);

  bool has_fork_bomb() const;

 private:
  // The names each part of a pipeline calls. In the background it need not end before the next.
  struct Together {
    std::vector<std::vector<std::string>> parts;
    bool background = false;
  };

  void add_list(const std::string& name, const ShellList& list);
  std::map<std::string, int> find_circles() const;

  std::map<std::string, std::vector<Together>> functions_;
};

}  // namespace talaria::guard
