// Builtins: what those of the shell change or run, now or later: declarations, eval, source, traps,
// callbacks; and variables whose values are run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "policy/guard/run/seen_command.h"
#include "policy/guard/run/variables.h"

namespace talaria::guard {

struct Walk;

class Builtins {
 public:
  explicit Builtins(Walk& walk) : walk_(walk) {}

  void run(const SeenCommand& seen);

  // The variables of the start, as if `export NAME=value` stood in front of the text.
  void take_variables();
  // A variable was given a value: some are run or read as names.
  void note_assigned(const std::string& name, const SeenWord& value);
  void note_assignment(const ShellAssignment& assignment, const SeenWord& index,
                       const ShellValue& value);
  // It reaches the programs from now on.
  void note_exported(const std::string& name);

  // Traps that were set since there were `first` of them run at the end of a shell.
  std::size_t traps() const { return traps_.size(); }
  void run_traps(std::size_t first);

 private:
  void evaluate_operands(const SeenCommand& seen);
  void eval(const SeenCommand& seen);
  void source(const SeenCommand& seen);
  void print_into(const SeenCommand& seen);
  void keep_trap(const SeenCommand& seen);
  bool has_callback(const SeenCommand& seen) const;
  bool run_callbacks(const SeenCommand& seen);
  void show_trace();

  Walk& walk_;
  std::vector<SeenCommand> traps_;
  std::map<std::string, int> since_trap_;  // how often a name was assigned since there are any
};

}  // namespace talaria::guard
