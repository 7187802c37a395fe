// The options of every command, and the parser that fills them in.
#pragma once

#include <talaria/approval.h>
#include <talaria/options.h>
#include <talaria/sandbox.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "front/check/check_front.h"
#include "front/gateway/serve_front.h"
#include "front/mcp/keeper_front.h"
#include "front/mcp/mcp_stdio.h"

namespace talaria::front::cli {

// Exit codes; report.h has kFailed.
inline constexpr int kBadUsage = 2;
inline constexpr int kTimedOut = 124;
inline constexpr int kExecFailed = 125;   // Talaria or the link failed, not the command
inline constexpr int kExecRefused = 126;  // by policy
inline constexpr int kInterrupted = 130;

// A text to show: help, the version, or an error of the command line.
struct ShowText {
  std::string text;
  int exit_code = 0;
  bool is_error = false;  // for standard error
};

struct ExecOptions {
  std::vector<std::string> arguments;
  std::optional<std::string> task;
  std::optional<std::string> workdir;
  std::chrono::milliseconds timeout{0};  // 0: none
  bool json = false;                     // print the result of the tool instead of the output
  bool pass_stdin = false;               // the command reads our standard input
  bool terminal = false;                 // it runs on a terminal of its own
  std::vector<GivenSetting> settings;
};

struct StartOptions {
  std::vector<std::string> arguments;
  std::string task;  // empty: the default one
  std::optional<std::string> workdir;
  bool terminal = false;
  bool takes_input = false;
  std::string lifetime;                  // empty: the default of the tool
  std::optional<std::uint64_t> max_age;  // seconds; 0: no limit
  bool notify = false;
  std::vector<std::string> watch_patterns;
  bool json = false;
  std::vector<GivenSetting> settings;
};

struct PsOptions {
  bool all = false;    // also processes that have ended
  std::string target;  // only those at this one; empty: at all targets
  bool json = false;
  std::vector<GivenSetting> settings;
};

struct LogsOptions {
  std::string id;
  bool follow = false;
  std::optional<std::uint64_t> from;  // a byte
  std::string since;                  // a mark; empty: none
  std::optional<std::uint64_t> tail;  // lines
  bool raw = false;                   // escape sequences also to a terminal
  std::vector<GivenSetting> settings;
};

struct AttachOptions {
  std::string id;
  std::string detach_keys;
  bool read_only = false;
  std::vector<GivenSetting> settings;
};

struct KillOptions {
  std::vector<std::string> ids;
  bool all = false;  // instead of ids: all running processes
  std::string task;  // with `all`: only of this task; empty: of every task
  int signal = 0;    // only send this signal; 0: end the process
  bool json = false;
  std::vector<GivenSetting> settings;
};

struct WaitOptions {
  std::vector<std::string> ids;
  std::chrono::milliseconds timeout{0};  // 0: none
  bool json = false;
  std::vector<GivenSetting> settings;
};

struct EventsOptions {
  bool follow = false;
  bool all = false;
  std::string consumer;  // empty: show the history
  std::uint64_t since = 0;
  bool json = false;
  std::vector<GivenSetting> settings;
};

struct CallOptions {
  std::string tool;
  std::string arguments;  // JSON text
  std::string task;       // empty: the default one
  bool json = false;      // errors of the call are JSON, too
  std::vector<GivenSetting> settings;
};

struct LinesOptions {
  std::vector<GivenSetting> settings;
};

struct CodeOptions {
  std::string file;  // "-": standard input
  std::string task;  // empty: the default one
  bool json = false;
  std::vector<GivenSetting> settings;
};

struct ConfigOptions {
  bool json = false;
  bool doc = false;      // print the table of the documentation
  bool all = false;      // also settings that do not apply now
  bool changed = false;  // only those that are set
  std::vector<GivenSetting> settings;
};

struct ToolsOptions {
  bool json = false;
};

struct GuardExplainOptions {
  std::string command;
  std::string target;
  bool json = false;
  bool lines = false;      // commands come on standard input, one JSON string per line
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
  std::vector<std::pair<std::string, std::string>> overrides;  // empty: show the stored ones
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
  std::string id;  // or its beginning; empty: the only one that waits
  bool all = false;
  ApprovalAnswer answer;
  bool json = false;
};

struct GrantListOptions {
  bool json = false;
};

struct GrantChangeOptions {
  std::string id;
  bool confirm = false;           // else it is revoked
  std::chrono::seconds lasts{0};  // 0: as it was
  bool json = false;
};

struct AuditOptions {
  std::string since;  // a time in the format of the log; empty: from the beginning
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

struct TokenLimitOptions {
  std::string name;
  TokenLimits limits;
  bool json = false;
};

struct TokenRevokeOptions {
  std::string name;
  bool json = false;
};

struct McpInstallOptions {
  std::string client;
  std::string target;         // empty: the configured one
  std::string approval_mode;  // of Codex; empty: its own default
  bool project = false;
  bool user = false;
  bool dry_run = false;
};

struct CompletionOptions {
  std::string format;  // bash, zsh, fish, man or markdown
};

struct CompleteOptions {
  std::vector<std::string> arguments;
};

using CommandLine = std::variant<
    ShowText, ExecOptions, CallOptions, CodeOptions, LinesOptions, ConfigOptions, ToolsOptions,
    VersionOptions, EnvListOptions, EnvShowOptions, EnvRemoveOptions, EnvOverrideOptions,
    StopOptions, DoctorOptions, check::CheckOptions, CompletionOptions, CompleteOptions,
    StartOptions, PsOptions, LogsOptions, AttachOptions, KillOptions, WaitOptions, EventsOptions,
    GuardExplainOptions, ApprovalsOptions, AnswerOptions, GrantListOptions, GrantChangeOptions,
    AuditOptions, mcp::McpOptions, mcp::KeeperOptions, McpInstallOptions, gateway::ServeOptions,
    TokenAddOptions, TokenListOptions, TokenLimitOptions, TokenRevokeOptions>;

// `arguments` without the name of the program.
CommandLine parse_command_line(std::vector<std::string> arguments);

}  // namespace talaria::front::cli
