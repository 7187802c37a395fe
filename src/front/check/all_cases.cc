#include <iterator>

#include "front/check/check_case.h"

namespace talaria::front::check {
namespace {

Task<void> check_output(Trial& trial, std::string command, std::string output) {
  co_await trial.shows("output", std::move(command), std::move(output));
}

bool fits(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() != '*') {
    return !text.empty() && text.front() == pattern.front() &&
           fits(text.substr(1), pattern.substr(1));
  }
  for (std::size_t skipped = 0; skipped <= text.size(); ++skipped) {
    if (fits(text.substr(skipped), pattern.substr(1))) return true;
  }
  return false;
}

}  // namespace

// To add a group: write its file, then add its line here.
std::vector<CheckCase> all_cases() {
  std::vector<CheckCase> all;
  for (const auto group :
       {command_cases, result_cases, session_cases, directory_cases, output_cases, input_cases,
        kill_cases, process_cases, process_end_cases, cursor_cases, terminal_cases, event_cases,
        file_cases, file_tool_cases, environment_cases, concurrency_cases, reconnect_cases,
        script_cases, budget_cases}) {
    std::vector<CheckCase> cases = group();
    all.insert(all.end(), std::make_move_iterator(cases.begin()),
               std::make_move_iterator(cases.end()));
  }
  return all;
}

CheckCase prints(std::string_view group, std::string name, Ability needs, std::string command,
                 std::string output) {
  return {group, std::move(name), needs,
          [command = std::move(command), output = std::move(output)](Trial& trial) {
            return check_output(trial, command, output);
          }};
}

bool matches(const CheckCase& one, std::string_view pattern) {
  const std::string name = one.full_name();
  return pattern.contains('*') ? fits(name, pattern) : name.contains(pattern);
}

}  // namespace talaria::front::check
