// Approvals: before a dangerous command runs on a target that is not isolated, somebody is asked.
// An embedding program may answer (Hooks::ask) or watch.
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
  std::string command;      // all of it, as the shell gets it: quote it before you show it
  std::string description;  // why somebody is asked
  std::string pattern_key;  // the most important rule
  std::vector<std::string> pattern_keys;
  // What an answer beyond "once" allows from then on: the rules, or only this command if it is
  // unclear what it would do.
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

// Takes the answer. Any thread may use it, now or later; copies share one state. If the last copy
// is destroyed without an answer, the command is denied.
class ApprovalReply {
 public:
  // "once", "session" or "always". Any other text denies. Only the first answer is used.
  void operator()(std::string_view word) const;

  // False: it was answered, timed out or was cancelled.
  bool wanted() const;
  // Called on the runtime's thread when that happens, at once if it has.
  void on_unwanted(std::function<void()> action) const;

  class State;
  explicit ApprovalReply(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

}  // namespace talaria
