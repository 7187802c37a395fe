// The commands: run_command() has one overload for the options of each. Each returns the exit code.
#pragma once

#include <talaria/hooks.h>

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "api/asio_runtime.h"
#include "base/task.h"
#include "front/cli/command_line.h"
#include "front/stdio.h"

namespace talaria::front::cli {

// Commands that need no runtime.
int run_command(const ShowText& show, const Stdio& stdio);
int run_command(const ConfigOptions& options, const Stdio& stdio);
int run_command(const ToolsOptions& options, const Stdio& stdio);
int run_command(const GuardExplainOptions& options, const Stdio& stdio);
int run_command(const VersionOptions& options, const Stdio& stdio);
int run_command(const EnvListOptions& options, const Stdio& stdio);
int run_command(const EnvShowOptions& options, const Stdio& stdio);
int run_command(const EnvRemoveOptions& options, const Stdio& stdio);
int run_command(const EnvOverrideOptions& options, const Stdio& stdio);
int run_command(const StopOptions& options, const Stdio& stdio);
int run_command(const DoctorOptions& options, const Stdio& stdio);
int run_command(const CompletionOptions& options, const Stdio& stdio);
int run_command(const CompleteOptions& options, const Stdio& stdio);
int run_command(const ApprovalsOptions& options, const Stdio& stdio);
int run_command(const AnswerOptions& options, const Stdio& stdio);
int run_command(const GrantListOptions& options, const Stdio& stdio);
int run_command(const GrantChangeOptions& options, const Stdio& stdio);
int run_command(const AuditOptions& options, const Stdio& stdio);
int run_command(const TokenAddOptions& options, const Stdio& stdio);
int run_command(const TokenListOptions& options, const Stdio& stdio);
int run_command(const TokenLimitOptions& options, const Stdio& stdio);
int run_command(const TokenRevokeOptions& options, const Stdio& stdio);
int run_command(const McpInstallOptions& options, const Stdio& stdio);

// Commands that run on the loop of a runtime. The first stop signal cancels them.
Task<int> run_command(AsioRuntime& runtime, ExecOptions options, Stdio stdio);
Task<int> run_command(AsioRuntime& runtime, CallOptions options, Stdio stdio);
Task<int> run_command(AsioRuntime& runtime, CodeOptions options, Stdio stdio);
Task<int> run_command(AsioRuntime& runtime, StartOptions options, Stdio stdio);
Task<int> run_command(AsioRuntime& runtime, PsOptions options, Stdio stdio);
Task<int> run_command(AsioRuntime& runtime, LogsOptions options, Stdio stdio);
Task<int> run_command(AsioRuntime& runtime, AttachOptions options, Stdio stdio);
Task<int> run_command(AsioRuntime& runtime, KillOptions options, Stdio stdio);
Task<int> run_command(AsioRuntime& runtime, WaitOptions options, Stdio stdio);
Task<int> run_command(AsioRuntime& runtime, EventsOptions options, Stdio stdio);

// Runs a command of the first kind; nothing: it is of another kind.
std::optional<int> run_without_runtime(const CommandLine& line, const Stdio& stdio);
// The coroutine of a command of the second kind, which uses up `line`; nothing: it is of another
// kind.
std::optional<Task<int>> run_with_runtime(AsioRuntime& runtime, CommandLine& line, Stdio stdio);
// The exit code of a command of the second kind that failed with an exception.
int failure_code(const CommandLine& line);

// `exec --pty`: starts a process on a terminal, attaches to it, and ends it with itself.
Task<int> run_on_terminal(AsioRuntime& runtime, ExecOptions options, Stdio stdio);

// One argument is shell text; several are quoted and joined.
std::string command_text(const std::vector<std::string>& arguments);

// The result of execute_code as a person gets it.
struct ScriptText {
  std::string output;
  std::string errors;   // standard error of the script
  std::string failure;  // ours
};
ScriptText script_text(const boost::json::object& result);

// Shows on standard error which tool a script calls.
void show_tool_call(const ObservedCall& call, const Stdio& stdio);

}  // namespace talaria::front::cli
