// Instructions: what a file makes a program run, as far as the file's text tells: the recipes of a
// makefile, the scripts of a package.json, what a program of Python calls, and so on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/run/inner.h"

namespace talaria::guard {

enum class Language : std::uint8_t {
  shell,
  make,     // recipes of the goals among the command's words
  package,  // package.json: the scripts the command's words name
  program,  // Python, JavaScript, C, …: the calls of what runs commands or deletes
  script,   // of sed and awk
  input,    // the program reads it as it reads its input: debuggers, editors, database clients
  lines,    // settings, tasks, schedules: commands stand somewhere on their lines
  list,     // names of files or options that the command takes from it
};

// Why a person should look at it.
struct InstructionDoubt {
  std::string key;
  std::string description;
};

// The value of a variable, where that is known.
using KnownVariable = std::function<std::optional<std::string>(const std::string&)>;

struct Instructions {
  std::vector<InnerCommand> commands;
  bool unknown = false;  // it runs what is known only when it runs
  bool guessed = false;  // the commands count only for what they would clearly do
  std::vector<InstructionDoubt> doubts = {};
};

// `by`: the command that reads it. The text may have unknown pieces. `variable`: what is known of
// the environment.
Instructions read_instructions(Language language, std::string_view text, const SeenCommand& by,
                               const KnownVariable& variable = {});

// A row of the table: which files a program takes instructions from.
struct InstructionFile {
  std::string_view programs;  // without the number of a version; between blanks
  std::string_view names;     // patterns of files it may read by itself, between blanks
  Language language;
  bool words = true;  // and any file among its words, if its name fits or it comes first
  std::string_view options = {};  // with these instead, or whose value is such a file: "-f --file"
  std::string_view verbs = {};    // only with one of these words; empty: always
};

// Of the program; none: it takes no instructions from files.
std::vector<const InstructionFile*> instruction_files(std::string_view program);

// Whether the command has a sub-command that reads such files.
bool is_for(const InstructionFile& row, const SeenCommand& command);

// Whether a file with that path is one the program reads by itself. "hooks/*": by its directory.
bool is_read_by_name(const InstructionFile& row, std::string_view path);

// The words of the command that may name such a file.
std::vector<SeenWord> named_files(const InstructionFile& row, const SeenCommand& command);

// What the first line of a script names; a shell, if it names none.
struct Interpreter {
  Language language = Language::shell;
  std::string program;
};
Interpreter script_interpreter(std::string_view script);

// A makefile as a shell text: what make would run for its goals, the targets and the NAME=value
// that it is given; without targets it is the first. `any_blank`: a recipe's lines need not begin
// with a tab (just).
std::string makefile_script(std::string_view text, const std::vector<std::string>& goals,
                            bool any_blank);

// The calls of a script of CMake that remove, write or read files.
void add_cmake_calls(std::string_view text, const KnownVariable& variable, Instructions& found);

}  // namespace talaria::guard
