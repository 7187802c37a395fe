// `talaria code FILE`: a script that calls tools, as execute_code runs it.
#pragma once

#include <talaria/asio.h>
#include <talaria/hooks.h>

#include <string>
#include <vector>

#include "base/task.h"
#include "front/stdio.h"

namespace talaria::front::cli {

inline constexpr int kCodeFailed = 1;
inline constexpr int kCodeTimedOut = 124;
inline constexpr int kCodeInterrupted = 130;

struct CodeOptions {
  std::string file;  // "-": standard input
  std::string task;  // empty: the default one
  bool json = false;
  std::vector<GivenSetting> settings;
};

// What the script prints goes to standard output when it has ended, what went wrong to standard
// error. A stop signal ends it.
Task<int> code_front(AsioRuntime& runtime, CodeOptions options, Stdio stdio);

// Tells a person at standard error which tools the script calls.
void tell_tool_call(const ObservedCall& call, const Stdio& stdio);

}  // namespace talaria::front::cli
