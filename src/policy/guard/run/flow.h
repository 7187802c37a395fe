// Flow: goes through the commands of a text the way bash would. Whatever may have happened, the
// state behind it has both: both branches of an `if` count, and a loop's body counts for every word
// it goes over.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "policy/guard/run/output.h"
#include "policy/guard/run/seen_command.h"
#include "policy/guard/run/variables.h"

namespace talaria::guard {

struct Walk;

class Flow {
 public:
  explicit Flow(Walk& walk) : walk_(walk) {}

  void walk_text(std::string_view text);
  void walk(const ShellList& list);
  void walk_apart(const ShellList& list);  // in a shell of its own
  // A function's body, with the arguments, input and output of the command that calls it.
  void call(const ShellCommand& function, const SeenCommand& seen);
  // break, continue, return, exit
  void jump(const SeenCommand& seen);

  // Several ways to go on, of which one is taken. `walk_one(i)` walks the i-th.
  template <class WalkOne>
  void each_way(std::size_t count, const WalkOne& walk_one);
  // `expand_one` for every choice of the variables it asks for. False: there are too many.
  template <class ExpandOne>
  bool each_choice(const ExpandOne& expand_one);

 private:
  static constexpr std::size_t kMaxChoices = 256;

  void walk_chain(std::span<const ShellPipeline> chain);
  void walk_perhaps(const ShellPipeline& pipeline);
  void walk_pipeline(const ShellPipeline& pipeline);
  void walk_stage(const ShellCommand& command, bool last);
  void walk_command(const ShellCommand& command);
  void walk_compound(const ShellCommand& command);
  void walk_maybe(const ShellList& list);
  void walk_branch(const ShellCommand& command);
  void walk_choice(const ShellCommand& command);
  void walk_loop(const ShellCommand& command);
  void walk_condition(const ShellCommand& command);
  void walk_arithmetic(const ShellWord& expression);
  std::vector<Value> loop_values(const ShellCommand& command, bool& certain);
  std::vector<SeenRedirect> redirect_compound(const ShellCommand& command);
  void pour(const Output& printed, const std::vector<SeenRedirect>& redirects, std::size_t first);

  Walk& walk_;
};

}  // namespace talaria::guard
