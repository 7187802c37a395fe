// TurnBudget: how many characters the results of one turn of a model have taken so far. A turn is
// what its caller names so (CallContext::turn).
#pragma once

#include <cstddef>
#include <string>

#include "tools/files/bounded_map.h"

namespace talaria::tool {

class TurnBudget {
 public:
  // Of a turn that has taken nothing yet, or was too long ago: 0.
  std::size_t taken(const std::string& task, const std::string& turn) {
    const std::size_t* chars = taken_.find(key(task, turn));
    return chars ? *chars : 0;
  }
  void take(const std::string& task, const std::string& turn, std::size_t chars) {
    taken_[key(task, turn)] += chars;
  }

 private:
  static constexpr std::size_t kMostTurns = 256;

  static std::string key(const std::string& task, const std::string& turn) {
    return task + '\0' + turn;
  }

  BoundedMap<std::size_t> taken_{kMostTurns};
};

}  // namespace talaria::tool
