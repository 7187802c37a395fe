// Hooks: callbacks of an embedding program. All are called on the runtime's thread, one at a time,
// and should return soon. An exception counts as no answer.
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
  std::string_view command = {};
  std::string_view output = {};  // valid UTF-8; without its middle if it was too long
  int exit_code = 0;
  std::string_view task = {};
  std::string_view target = {};
};

// A tool call, once when it begins and once with its result.
struct ObservedCall {
  std::string_view tool = {};
  std::string_view task = {};
  std::string_view arguments = {};              // JSON
  std::optional<std::string_view> result = {};  // JSON; absent: it begins
};

// A command runs sudo, and its password is not known yet.
struct SudoRequest {
  std::string command = {};  // all of it: quote it before you show it
  std::string session_key = {};
  std::string task = {};
  std::string target = {};
  std::chrono::seconds timeout{0};  // then the command runs without a password
};

// Takes the password; empty: there is none. Any thread may call it, now or later; only the first
// call is used.
using SudoReply = std::function<void(std::string_view password)>;

struct Hooks {
  // Asks a person about a dangerous command. Must not wait for the answer, which goes to the reply.
  // Without this hook the question goes to the queue (`talaria approvals`) if the configuration
  // says so; else such commands are refused. If it throws, the command is refused.
  std::function<void(const ApprovalRequest&, ApprovalReply)> ask = {};
  // Called when somebody is asked, and with the answer: "once", "session", "always", "deny" or
  // "timeout". They cannot change it.
  std::vector<std::function<void(const ApprovalRequest&)>> approval_requested = {};
  std::vector<std::function<void(const ApprovalRequest&, std::string_view choice)>>
      approval_answered = {};

  // Asks a person for the password of sudo. Must not wait for it; it goes to the reply. It stays in
  // memory for that session key until sudo rejects it.
  std::function<void(const SudoRequest&, SudoReply)> ask_sudo_password = {};

  // Replaces the output of a command; the first that returns a text wins. The text is truncated and
  // masked like any output.
  using Transform = std::function<std::optional<std::string>(const FinishedCommand&)>;
  std::vector<Transform> transform_output = {};

  std::vector<std::function<void(const ObservedCall&)>> observers = {};

  // Called while a target is prepared for a command, at once and every ten seconds: "docker pulls
  // the image x".
  std::function<void(std::string_view)> preparing = {};

  // Called from time to time while a command runs: "terminal command running (20s elapsed)".
  std::function<void(std::string_view)> activity = {};
  std::chrono::milliseconds activity_interval{10'000};
};

}  // namespace talaria
