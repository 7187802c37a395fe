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
  std::string_view command = {};  // that does the same
  ProgramArguments arguments;
  ProgramValue receiver = ProgramValue::unknown();  // what stands before the dot

  // Not known if there is none.
  const ProgramValue& argument(std::size_t at) const;
  // What it works on, as its shape says, and what follows it.
  const ProgramValue& path() const;
  const ProgramValue& behind_path() const { return argument(shape == CallShape::receiver ? 0 : 1); }
  // The same of a copy or a move, where they may have names.
  const ProgramValue& from() const;
  const ProgramValue& to() const;
  // Where an archive is unpacked.
  const ProgramValue& unpacked_to() const;
  // It works on what is not known: what was written elsewhere may be it.
  bool is_unseen() const;
  // requests.delete(u), requests.request("DELETE", u), fetch(u, {method: "DELETE"})
  bool asks_to_delete() const;
  const ProgramValue& address() const;  // of a request
};

// A call in a loop is one for each value.
std::vector<ProgramFinding> each_call(const ProgramFinding& finding);

struct ProgramReport {
  ProgramLanguage language = ProgramLanguage::python;
  std::vector<ProgramFinding> findings;  // in the order of the program
  bool shows_environment = false;        // all variables of the environment are used as a value
  bool makes_tables = false;             // a text of it makes a table of a database
  bool names_home = false;               // it looks up the home directory
  bool hands_on_writing = false;         // a function that writes is a value: who calls it?
  std::vector<std::string> places = {};  // texts that may be paths outside the project
};

ProgramReport read_program_report(std::string_view text, ProgramLanguage language,
                                  const ProgramStart& start = {});

// Whether the text may be a path outside the project, or the end of one in the home.
bool may_be_place(std::string_view text);

// Whether a path of a program leads out of the project, or may be one of the home.
bool leads_outside(std::string_view path);

// What the places in a program are for, as commands that would do the same.
void add_places(const ProgramReport& report, std::vector<InnerCommand>& commands);
// Those that a call gets which is not known.
void add_used_places(const ProgramFinding& finding, const ProgramReport& report,
                     std::vector<InnerCommand>& commands);
// A directory whose files are read. `entered`: where the program is; empty: where it was.
void add_listed_place(const ProgramFinding& finding, std::string text, const ProgramReport& report,
                      const std::string& entered, std::vector<InnerCommand>& commands);

// In the place of a command that prints what a program writes into a file, if that is not known.
inline constexpr std::string_view kProgramOutput = "program_output";

// As commands that would do the same, and doubts where that cannot be said.
Instructions program_instructions(const ProgramReport& report);

// Both, for the program that runs it.
Instructions read_program(std::string_view text, std::string_view program);

}  // namespace talaria::guard
