// Hooks: what an embedding program wants to see or change. All are called on the runtime's thread,
// one at a time, and should return soon. One that throws is taken for one that said nothing.
#pragma once

#include <talaria/approval.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

struct FinishedCommand {
  std::string_view command;
  std::string_view output;  // valid UTF-8; without its middle if it was too long to be kept
  int exit_code = 0;
  std::string_view task;
  std::string_view target;
};

// A tool call, once when it begins and once with its answer.
struct ObservedCall {
  std::string_view tool;
  std::string_view task;
  std::string_view arguments;              // JSON
  std::optional<std::string_view> result;  // JSON; absent: it begins
};

// A command wants to run sudo, and nobody has said its password yet.
struct SudoRequest {
  std::string command;  // all of it: quote it before you show it
  std::string session_key;
  std::string task;
  std::string target;
  std::chrono::seconds timeout{0};  // then the command runs without
};

// Takes the password; an empty one means that there is none. Any thread may call it, now or later;
// only the first call counts.
using SudoReply = std::function<void(std::string_view password)>;

struct Hooks {
  // Asks a person about a dangerous command. Must not wait for the answer: that comes by the reply.
  // Without it, the queue is asked (`talaria approvals`) where the configuration says so, else
  // nobody, and such commands are refused. One that throws could not ask: the command is refused.
  std::function<void(const ApprovalRequest&, ApprovalReply)> ask;
  // Told when somebody is asked, and what came of it: "once", "session", "always", "deny" or
  // "timeout". They cannot change it.
  std::vector<std::function<void(const ApprovalRequest&)>> approval_requested;
  std::vector<std::function<void(const ApprovalRequest&, std::string_view choice)>>
      approval_answered;

  // Asks a person for the password of sudo. Must not wait for it: that comes by the reply. It is
  // kept in memory for that session key, until sudo rejects it. One that throws has none.
  std::function<void(const SudoRequest&, SudoReply)> ask_sudo_password;

  // What a tool shows instead of a command's output; the first that returns a text wins. Truncation
  // and everything after it still apply.
  std::vector<std::function<std::optional<std::string>(const FinishedCommand&)>> transform_output;

  std::vector<std::function<void(const ObservedCall&)>> observers;

  // Told what a target needs before a command can run there, and takes its time: "docker pulls the
  // image x", and the same again every ten seconds.
  std::function<void(std::string_view)> preparing;

  // Told from time to time that a command still runs: "terminal command running (20s elapsed)".
  std::function<void(std::string_view)> activity;
  std::chrono::milliseconds activity_interval{10'000};
};

}  // namespace talaria
