// What the words after `talaria` ask for.
#pragma once

#include <talaria/sandbox.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "front/check/check_front.h"
#include "front/cli/call_front.h"
#include "front/cli/code_front.h"
#include "front/cli/config_front.h"
#include "front/cli/exec_front.h"
#include "front/cli/process/process_options.h"
#include "front/gateway/serve_front.h"
#include "front/mcp/mcp_stdio.h"

namespace talaria::front::cli {

struct LinesOptions {
  std::vector<GivenSetting> settings;
};

// Nothing to do but to say something: help, the version, or what was wrong.
struct ShowText {
  std::string text;
  int exit_code = 0;
  bool is_error = false;  // for standard error
};

struct ToolsOptions {
  bool json = false;
};

struct GuardExplainOptions {
  std::string command;
  std::string target;
  bool json = false;
  bool lines = false;      // commands come on standard input, a JSON string a line
  bool self_test = false;  // no command: check the rules
};

struct VersionOptions {
  bool json = false;
};

struct EnvListOptions {
  bool json = false;
};

struct EnvShowOptions {
  std::string id;
  bool json = false;
};

struct EnvRemoveOptions {
  std::string id;  // or:
  bool all = false;
  bool force = false;  // also while commands run
  bool yes = false;    // without asking
  bool json = false;
};

struct EnvOverrideOptions {
  std::string task;
  std::vector<std::pair<std::string, std::string>> said;  // nothing said: show what is
  bool clear = false;
  bool json = false;
};

struct StopOptions {
  bool force = false;
  bool json = false;
};

struct DoctorOptions {
  bool reap = false;
  bool running = false;
  bool dry_run = false;
  bool json = false;
};

struct ApprovalsOptions {
  bool all = false;
  bool json = false;
};

struct AnswerOptions {
  std::string id;  // or:
  bool all = false;
  std::string word;  // once, session, always or deny
  bool json = false;
};

struct AuditOptions {
  std::string since;  // a time as the log has it; empty: from the beginning
  std::string task;
  bool decisions_only = false;
  bool json = false;
};

struct TokenAddOptions {
  std::string name;
  std::string user;  // empty: the name
  TokenScope scope;
  bool json = false;
};

struct TokenListOptions {
  bool all = false;
  bool json = false;
};

struct TokenRevokeOptions {
  std::string name;
  bool json = false;
};

struct McpInstallOptions {
  std::string client;
  std::string target;  // empty: as configured
  bool project = false;
  bool user = false;
  bool dry_run = false;
};

enum class ShellText { bash, zsh, fish, manual, markdown };

struct CompletionOptions {
  ShellText text = ShellText::bash;
};

struct CompleteOptions {
  std::vector<std::string> words;
};

using CommandLine =
    std::variant<ShowText, ExecOptions, CallOptions, CodeOptions, LinesOptions, ConfigOptions,
                 ToolsOptions, VersionOptions, EnvListOptions, EnvShowOptions, EnvRemoveOptions,
                 EnvOverrideOptions, StopOptions, DoctorOptions, check::CheckOptions,
                 CompletionOptions, CompleteOptions, StartOptions, PsOptions, LogsOptions,
                 AttachOptions, KillOptions, WaitOptions, EventsOptions, GuardExplainOptions,
                 ApprovalsOptions, AnswerOptions, AuditOptions, mcp::McpOptions, McpInstallOptions,
                 gateway::ServeOptions, TokenAddOptions, TokenListOptions, TokenRevokeOptions>;

// `words` without the program's own name.
CommandLine parse_command_line(std::vector<std::string> words);

}  // namespace talaria::front::cli
