// ProgramStart: what a program finds when it starts: the words behind it, its input, the
// environment. And what it gives to the commands that it starts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/guard/instructions/instructions.h"
#include "policy/guard/program/program_value.h"

namespace talaria::guard {

struct ProgramStart {
  std::vector<ProgramValue> arguments = {};  // the words behind the program
  std::vector<ProgramValue> named = {};      // and in front of them, as the language has it
  bool known = false;                        // those are all of its words
  std::vector<ProgramValue> lines = {};      // of its input
  KnownVariable variable = {};               // of the environment

  // sys.argv, process.argv, ARGV
  ProgramValue all_words() const;
  ProgramValue environment(const std::string& name) const;
};

ProgramStart start_of_program(const SeenCommand& by, const KnownVariable& variable);

struct ProgramFinding;

// Of variables that load code: what a call sets.
void add_variables(const ProgramFinding& finding, std::vector<SeenAssignment>& variables);
// The directory and the variables that a program names for the command it starts, and those that it
// has set before.
void prepare_start(const ProgramFinding& finding, std::vector<SeenAssignment> variables,
                   InnerCommand& command);
// Into the directory that the program has entered.
void move_into(const std::string& directory, InnerCommand& command);
// The home directory, as a program has it.
void name_home(const std::string& home, std::vector<InnerCommand>& commands);

}  // namespace talaria::guard
