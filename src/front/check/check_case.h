// The cases of the contract kit: what a caller can rely on at every target and transport. Each case
// uses the public interface like an agent, has its own session and directory, needs only sh and
// POSIX tools at the target (unless it is marked for bash), and leaves nothing behind.
//
// To add one: a row in the table of its group, or a coroutine in the file of the group. Every case
// must be able to fail: a test runs all of them against a target that does nothing.
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
  bool bash = false;  // it needs bash

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

// Whether `pattern` selects this case: it is a part of the full name or, with a `*`, a pattern for
// the whole name. An empty pattern selects every case.
bool matches(const CheckCase& one, std::string_view pattern);

}  // namespace talaria::front::check
