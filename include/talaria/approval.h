// Approvals: before a dangerous command runs on a target that is not isolated, somebody is asked.
// Here is what an embedding program has to do with that: it may answer (Hooks::ask), and look on.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talaria {

struct ApprovalRequest {
  std::string id;           // "appr_..."
  std::string command;      // all of it, as the shell would get it: quote it before you show it
  std::string description;  // why somebody is asked
  std::string pattern_key;  // the rule that weighs most
  std::vector<std::string> pattern_keys;
  // What an answer beyond "once" allows from then on: the rules, but where it is unclear what a
  // command would do, only that very command.
  std::vector<std::string> grants;
  std::string session_key;  // who is asking; "default" if nobody said
  std::string task;
  std::string call;  // CallContext::id of the call whose command this is; empty if it has none
  std::string target;
  std::string cwd;              // where it would run, as far as is known
  std::string surface;          // "cli" or "gateway"
  bool allow_permanent = true;  // "always" may be offered
  std::chrono::seconds timeout{0};
};

// A question in the queue of a home, where every program can see and answer it.
struct QueuedApproval {
  ApprovalRequest request;
  std::chrono::system_clock::time_point created;
  std::chrono::system_clock::time_point expires;
  std::string state;        // "open", "answered", "expired", "used"
  std::string choice;       // what was answered
  bool waited_for = false;  // a call waits for it
  std::int64_t pid = 0;     // of the program that asks
};

// The way back for an answer. Any thread may use it, now or later; copies are the same. If the last
// copy goes without an answer, that is a denial.
class ApprovalReply {
 public:
  // "once", "session" or "always". Every other word denies, also an empty one. Only the first
  // answer counts.
  void operator()(std::string_view word) const;

  // False: it was answered, timed out or was given up, so that nobody need be asked any more.
  bool wanted() const;
  // Called on the runtime's thread when that happens, at once if it has.
  void on_unwanted(std::function<void()> action) const;

  class State;
  explicit ApprovalReply(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

}  // namespace talaria
