// `talaria exec`: one command for a person, with its output as it comes and its exit code as ours.
#pragma once

#include <talaria/asio.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "front/stdio.h"

namespace talaria::front::cli {

// What `talaria exec` exits with when the command did not decide it.
inline constexpr int kExecFailed = 125;   // Talaria or the way to the target
inline constexpr int kExecRefused = 126;  // policy

struct ExecOptions {
  std::vector<std::string> words;
  std::optional<std::string> task;
  std::optional<std::string> workdir;
  std::chrono::milliseconds timeout{0};  // 0: none
  bool json = false;                     // print the tool's result instead of the output
  bool pass_stdin = false;               // the command reads what we are given
  std::vector<GivenSetting> settings;    // flags that say something about the configuration
};

// One word is shell text as it is; several are quoted each and joined, so that each arrives as one.
std::string command_text(const std::vector<std::string>& words);

// The first stop signal, or a reader that went away, cancels the command.
Task<int> exec_front(AsioRuntime& runtime, ExecOptions options, Stdio stdio);

}  // namespace talaria::front::cli
