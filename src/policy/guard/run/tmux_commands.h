// The commands of tmux in one call of it, and what they run or type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/run/inner.h"

namespace talaria::guard {

struct TmuxCommand {
  std::string_view name;           // the long one; empty: none that runs, types or makes something
  std::vector<SeenWord> words;     // with its name in front
  std::vector<SeenWord> operands;  // behind its options
  std::string server;              // -L or -S; empty: the usual one

  bool has(char letter) const { return has_option_letter({.words = words}, letter); }
  // Of -t or -s; empty: it has none.
  std::string value(char letter) const;
  bool types() const { return name == "send-keys" || name == "paste-buffer"; }
};

std::vector<TmuxCommand> tmux_commands(const SeenCommand& command);

void add_tmux_commands(const SeenCommand& command, std::vector<InnerCommand>& inner);

}  // namespace talaria::guard
