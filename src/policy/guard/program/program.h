// Programs in other languages than that of a shell: what they do outside of themselves, as far as
// that is written in them. The calls are listed; values are not followed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/instructions/instructions.h"
#include "policy/guard/program/call_table.h"
#include "policy/guard/program/expression_reader.h"
#include "policy/guard/program/program_value.h"

namespace talaria::guard {

// A call that does something outside of the program.
struct ProgramFinding {
  ProgramAct act = ProgramAct::start;
  CallShape shape = CallShape::first;
  std::string name;               // what is called, as it is written
  std::string_view command = "";  // that does the same
  ProgramArguments arguments;
  ProgramValue receiver = ProgramValue::unknown();  // what stands before the dot
};

struct ProgramReport {
  ProgramLanguage language = ProgramLanguage::python;
  std::vector<ProgramFinding> findings;  // in the order of the program
  bool shows_environment = false;        // all variables of the environment are used as a value
  bool makes_tables = false;             // a text of it makes a table of a database
};

ProgramReport read_program_report(std::string_view text, ProgramLanguage language);

// As commands that would do the same, and doubts where that cannot be said.
Instructions program_instructions(const ProgramReport& report);

// Both, for the program that runs it.
Instructions read_program(std::string_view text, std::string_view program);

}  // namespace talaria::guard
