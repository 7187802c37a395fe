// Approvals: before a dangerous command runs on a target that is not isolated, somebody is asked.
// An embedding program may answer (Hooks::ask) or watch.
#pragma once

#include <talaria/export.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talaria {

// What an answer beyond "once" may cover.
struct GrantOffer {
  std::string covers = {};    // "command", "directory", "task" or "target"
  std::string sentence = {};  // exactly that in words: show it before the answer is given
};

// What a command depends on beside its text: "standard input", "function clean", "content of
// '~/.profile'". Secrets in it are masked; a long one says how much of it is left out.
struct ApprovalDetail {
  std::string name = {};
  std::string text = {};
};

struct ApprovalRequest {
  std::string id = {};       // "appr_..."
  std::string command = {};  // all of it, as the shell gets it: quote it before you show it
  std::vector<ApprovalDetail> details = {};  // show them with the command
  std::string description = {};              // why somebody is asked
  std::string pattern_key = {};              // the most important rule
  std::vector<std::string> pattern_keys = {};
  // What "session" and "always" cover: the first of these, the narrowest, unless the answer names
  // another. If there is none, every answer is for this call only.
  std::vector<GrantOffer> offers = {};
  std::vector<std::string> notices = {};  // what else the person should know
  std::string session_key = {};           // who is asking; "default" if nobody said
  std::string task = {};
  std::string call = {};  // CallContext::id of the call whose command this is; empty if it has none
  std::string target = {};
  std::string cwd = {};         // where it would run, without links, as far as is known
  std::string digest = {};      // of all that it depends on: what an answer is bound to
  std::string surface = {};     // "cli" or "gateway"
  bool allow_permanent = true;  // "always" may be offered
  std::chrono::seconds timeout{0};
};

// What a person may answer: not this call; this call; what the answer covers, for the rest of the
// session or for good.
enum class Answer { deny, once, session, always };

// What "session" and "always" cover. One that was not offered is refused.
enum class AnswerWidth { narrowest, command, directory, task, target };

// An answer as text, as people type it and files have it. Only the exact words "once", "session"
// and "always" approve. A program makes it of an Answer (answer_of).
struct ApprovalAnswer {
  std::string word = {};
  std::string covers = {};        // one of the offers; empty: the first. Not for "once".
  std::chrono::seconds lasts{0};  // when "session" or "always" ends; 0: after a day, or never
  std::string words = {};         // with "deny": what the caller of the command is to read
};

// `lasts`: when "session" or "always" ends; 0: after a day, or never.
TALARIA_API ApprovalAnswer answer_of(Answer answer, AnswerWidth width = AnswerWidth::narrowest,
                                     std::chrono::seconds lasts = {});

enum class ApprovalState {
  open,
  answered,
  used,  // answered, and a call has acted on it
  expired,
};

// "open", "answered", ...
TALARIA_API std::string_view approval_state_name(ApprovalState state);

// A question in the queue of a home, where every program can see and answer it.
struct QueuedApproval {
  ApprovalRequest request = {};
  std::chrono::system_clock::time_point created = {};
  std::chrono::system_clock::time_point expires = {};
  ApprovalState state = ApprovalState::open;
  ApprovalAnswer answer = {};  // without a word: there is none
  std::string answerer = {};   // who gave it, for people
  bool waited_for = false;     // a call waits for the answer
  // The program that asked has ended. An answer is used by the next call with the same command,
  // task, directory and target.
  bool asker_gone = false;
  std::int64_t pid = 0;  // of that program
};

// What was allowed beyond one call.
struct ApprovalGrant {
  std::string id = {};      // "grant_..."
  std::string rule = {};    // only commands that it matches
  std::string covers = {};  // as in GrantOffer
  std::string sentence = {};
  std::string target = {};
  // Absent: any.
  std::optional<std::string> session_key = {};
  std::optional<std::string> task = {};
  std::optional<std::string> directory = {};
  std::chrono::system_clock::time_point granted = {};
  std::string grantor = {};                                         // for people; empty: not known
  std::optional<std::chrono::system_clock::time_point> until = {};  // absent: it does not end
  // False: an earlier version stored it, for every command that the rule matches. It has no effect
  // until it is confirmed.
  bool confirmed = true;
};

// What would be decided about a command, if it were run now.
struct ApprovalPreview {
  enum class Verdict { allowed, ask, denied };
  Verdict verdict = Verdict::allowed;
  std::vector<std::string> rules = {};  // that it matches, the most important first
  std::string description = {};         // what is dangerous about it
  std::string message = {};             // of one that is denied: why
  std::vector<GrantOffer> offers = {};  // of one that somebody is asked about
};

// A command that is judged or allowed before it is run.
struct CommandToJudge {
  std::string text = {};
  std::string task = {};
  std::string session_key = {};
  std::optional<std::string> workdir = {};
  std::vector<std::string> variables = {};     // NAME=value
  std::optional<std::string> stdin_data = {};  // what it reads
};

// Takes the answer. Any thread may use it, now or later; copies share one state. If the last copy
// is destroyed without an answer, the command is refused, and the refusal says that nobody
// answered.
class TALARIA_API ApprovalReply {
 public:
  void operator()(Answer answer, AnswerWidth width = AnswerWidth::narrowest,
                  std::chrono::seconds lasts = {}) const {
    (*this)(answer_of(answer, width, lasts));
  }
  // Any word but "once", "session" and "always" denies. Only the first answer is used.
  void operator()(std::string_view word) const;
  void operator()(const ApprovalAnswer& answer) const;

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
