// Approvals: whether a command may run, and who has to be asked first. Only "once", "session" and
// "always" approve. If nobody can be asked, a dangerous command does not run at a target that is
// not isolated, unless the configuration allows it.
//
// decide() has the order of the checks.
#pragma once

#include <talaria/approval.h>

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/task.h"
#include "host/approval_queue.h"
#include "host/environments.h"
#include "host/interaction.h"
#include "host/settings.h"
#include "policy/approval/approval_wait.h"
#include "policy/approval/decision.h"
#include "policy/approval/grants.h"
#include "policy/approval/judge.h"

namespace talaria::policy {

class Approvals {
 public:
  // All of it outlives them.
  Approvals(host::Settings& settings, host::Environments& environments, host::ProcessLedger& ledger,
            const host::Interaction& people, Judge judge);
  Approvals(const Approvals&) = delete;
  Approvals& operator=(const Approvals&) = delete;

  // Who is asking: as the call says, else the configuration; one that has no name has one here.
  static std::string session_of(const CommandQuestion& question);

  Task<Decision> decide(CommandQuestion question, CancelToken cancel);

  // What no mode, grant or person can allow, by what is known now; nothing: it is not that.
  std::optional<Decision> never_allowed(const CommandQuestion& question) const;

  // A session for which nobody is asked, in this program. An empty key is none.
  void set_yolo(const std::string& session_key, bool on);
  // Forgets its grants and its yolo, and denies what it waits for.
  void clear_session(const std::string& session_key);

  // Answers the oldest question of a session that waits in this program, or all; how many there
  // were.
  std::size_t resolve(const std::string& session_key, std::string_view word, bool all);

  // From now on questions of this session ("": of all) go to the queue, and the listener is called
  // with them. leave() denies those that nobody else can answer.
  using Listener = std::function<void(const ApprovalRequest&)>;
  std::uint64_t listen(std::string session_key, Listener listener);
  void leave(std::uint64_t id);

  host::ApprovalQueue& queue() { return queue_; }

 private:
  struct Waiting {
    ApprovalRequest request;
    std::shared_ptr<ApprovalWait> wait;
  };
  struct Subscribed {
    std::string session_key;
    Listener listener;
  };
  // A rule that the command matches.
  struct Finding {
    std::string rule;  // its key
    std::string description;
    std::string grant;      // what has to be granted
    bool permanent = true;  // may be allowed for good
  };
  using Findings = std::vector<Finding>;  // the most important first
  enum class Approver { nobody, hook, terminal, queue };

  Approver approver_for(const std::string& session_key, const host::ApprovalConfig& config) const;
  bool hears_of(const std::string& session_key) const;
  ApprovalRequest request_for(const CommandQuestion& question, const Findings& findings,
                              const host::ApprovalConfig& config, Approver approver) const;

  struct Judged {
    guard::Judgement judgement;
    shell::JudgedStart start;
  };
  guard::Judgement judge_with(const CommandQuestion& question,
                              const shell::SessionDefinitions& session) const;
  Judged judge(const CommandQuestion& question) const;
  Task<Decision> decide_judged(CommandQuestion question, guard::Judgement judgement,
                               CancelToken cancel);
  std::optional<Decision> decide_at_once(const CommandQuestion& question,
                                         const std::string& session_key,
                                         const guard::Judgement& judgement) const;
  Task<Decision> decide_by_asking(CommandQuestion question, guard::Judgement judgement,
                                  CancelToken cancel);
  Task<Findings> gather(const CommandQuestion& question, const std::string& session_key,
                        const guard::Judgement& judgement);
  Task<Decision> ask(ApprovalRequest request, Approver approver, bool waits, CancelToken cancel);

  // waiting for an answer (wait_for_answer.cc)
  Task<Decision> wait_for_answer(ApprovalRequest request, Approver approver, CancelToken cancel);
  Result<void> ask_approver(Approver approver, const ApprovalRequest& request,
                            const asio::any_io_executor& executor,
                            const std::shared_ptr<ApprovalWait>& wait);
  Result<std::optional<os::WakePipe>> put(const ApprovalRequest& request, bool waits);
  static host::StoredApproval stored(const ApprovalRequest& request, bool waits);
  Task<void> watch_queue(std::shared_ptr<os::WakePipe> waiter, std::string id,
                         std::shared_ptr<ApprovalWait> wait);

  void grant(const ApprovalRequest& request, std::string_view word, Decision& decision);

  host::Settings& settings_;
  host::Environments& environments_;
  const host::Interaction& people_;
  Judge judge_;
  host::ApprovalQueue queue_;
  Grants grants_;
  std::set<std::string> yolo_;
  std::list<Waiting> waiting_;  // the oldest first
  std::map<std::uint64_t, Subscribed> subscribed_;
  std::uint64_t subscriptions_ = 0;
};

}  // namespace talaria::policy
