// What the configuration says about dangerous commands, and about the log of all.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"

namespace talaria::host {

enum class ApprovalMode { manual, smart, off };

// What happens to a dangerous command where nobody can be asked at once.
enum class HeadlessMode {
  queue,  // the question is stored, and can be answered later
  deny,
  allow,
};

// A program that looks at commands before they run.
struct ScannerConfig {
  bool enabled = false;
  std::string program = "tirith";
  std::chrono::seconds timeout{5};
  bool fail_open = false;
};

// A rule of the operator's own, as config.yaml has it. What it does not say counts for everything.
struct CommandRule {
  std::string answer;             // allow, ask or deny
  std::vector<std::string> argv;  // the first arguments of a command
  std::string path;               // a pattern one of its files has to match
  std::string target;
};

struct ApprovalConfig {
  ApprovalMode mode = ApprovalMode::manual;
  std::chrono::seconds timeout{60};           // of a person at a terminal
  std::chrono::seconds gateway_timeout{300};  // of anybody else
  bool cron_approves = false;
  HeadlessMode headless = HeadlessMode::queue;
  bool queue = false;
  bool waits = true;  // for an answer from the queue
  std::string smart_program;
  std::chrono::seconds smart_timeout{30};
  std::vector<std::string> allowlist;  // keys of rules
  std::vector<CommandRule> rules;
  bool hermes_rules = false;  // judge by exactly the rules that Hermes has
  ScannerConfig scanner;

  // What the agent says of itself.
  bool yolo = false;
  bool interactive = false;
  bool gateway = false;  // HERMES_GATEWAY_SESSION, or a chat it came from
  bool ask = false;
  bool cron = false;
  std::string session_key;
  bool has_sudo_password = false;
};

struct SudoConfig {
  std::optional<Secret> password;  // SUDO_PASSWORD; an empty one counts, too
  bool interactive = false;        // a person sits at the agent's terminal
  bool in_chat = false;            // the person is in a chat
};

struct AuditConfig {
  bool enabled = true;
  std::uint64_t max_bytes = 16u << 20;  // of one file
  std::size_t keep = 8;                 // full ones
};

struct Config;
struct Resolution;

// Those parts of `config`. An invalid rule is an error: it may have been meant to deny.
Result<void> read_policy(const Resolution& resolution, Config& config);

}  // namespace talaria::host
