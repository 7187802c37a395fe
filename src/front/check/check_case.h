// The cases of the contract kit: what a caller may rely on at every target, whatever carries the
// bytes there. Each drives the public interface as an agent would, in a session and a directory of
// its own, needs nothing at the target but sh and what POSIX has, and leaves nothing behind. Those
// about what only bash has say so.
//
// To add one: a row in the table of its group, or a coroutine in the group's file. It has to be
// able to fail: the test runs every case against a target that does nothing, and wants a failure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "front/check/ability.h"
#include "front/check/trial.h"
#include "json/fields.h"

namespace talaria::front::check {

inline constexpr bool kBash = true;  // for rows about what only bash has

struct CheckCase {
  std::string_view group;
  std::string name;  // unique within the group; letters, digits and dashes
  Ability needs = Ability::commands;
  std::function<Task<void>(Trial& trial)> run;
  bool bash = false;  // sh will not do

  std::string full_name() const { return std::string(group) + "/" + name; }
};

// A case of one command, which must print `output`.
CheckCase prints(std::string_view group, std::string name, Ability needs, std::string command,
                 std::string output);

inline CheckCase needs_bash(CheckCase one) {
  one.bash = true;
  return one;
}

// A group per file.
std::vector<CheckCase> command_cases();
std::vector<CheckCase> result_cases();
std::vector<CheckCase> session_cases();
std::vector<CheckCase> directory_cases();
std::vector<CheckCase> output_cases();
std::vector<CheckCase> input_cases();
std::vector<CheckCase> kill_cases();
std::vector<CheckCase> process_cases();
std::vector<CheckCase> process_end_cases();
std::vector<CheckCase> cursor_cases();
std::vector<CheckCase> terminal_cases();
std::vector<CheckCase> event_cases();
std::vector<CheckCase> file_cases();
std::vector<CheckCase> file_tool_cases();
std::vector<CheckCase> environment_cases();
std::vector<CheckCase> concurrency_cases();
std::vector<CheckCase> reconnect_cases();
std::vector<CheckCase> script_cases();
std::vector<CheckCase> budget_cases();

// All of them, in the order they are shown.
std::vector<CheckCase> all_cases();

// Whether `pattern` means this case: a part of its full name or, with a `*` in it, a pattern for
// all of it. An empty one means every case.
bool matches(const CheckCase& one, std::string_view pattern);

}  // namespace talaria::front::check
