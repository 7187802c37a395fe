// WarmShells: shells of one session that wait for a command.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "runner/run.h"
#include "shell/state.h"

namespace talaria::runner {

class WarmShells {
 public:
  // `all` counts those of every session, and outlives it.
  explicit WarmShells(std::size_t& all) : all_(all) {}
  ~WarmShells() { drop(); }
  WarmShells(const WarmShells&) = delete;
  WarmShells& operator=(const WarmShells&) = delete;

  void add(std::shared_ptr<Run> shell);
  // One that can run the command from there; null: there is none.
  std::shared_ptr<Run> take(const shell::ShellState& from, std::string_view command);
  void get_ready();  // those that wait; the others are forgotten
  void drop();
  void abandon();  // the runner ends
  std::size_t size() const { return shells_.size(); }

 private:
  std::size_t& all_;
  std::vector<std::shared_ptr<Run>> shells_;
};

}  // namespace talaria::runner
