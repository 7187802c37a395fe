// Approvals: whether a command may run, and who has to be asked first. If nobody can be asked, a
// dangerous command does not run at a target that is not isolated, unless the configuration allows
// it.
//
// decide() has the order of the checks.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/cancel.h"
#include "base/task.h"
#include "host/environments.h"
#include "host/interaction.h"
#include "host/settings.h"
#include "policy/approval/approvers.h"
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

  // `question` outlives the call.
  Task<Decision> decide(const CommandQuestion& question, CancelToken cancel);

  // What would be decided, without asking anybody.
  struct Preview {
    Decision decision;        // approved, or refused; `pending`: a person would be asked
    ApprovalRequest request;  // then: what they would be asked
  };
  Task<Preview> preview(const CommandQuestion& question);
  // Allows it beforehand, as a person who is asked about it may. An Error (bad_request): nobody
  // would be asked; (denied): nobody can allow it.
  Task<Result<std::vector<host::StoredGrant>>> grant(const CommandQuestion& question,
                                                     const ApprovalAnswer& answer);

  // What no mode, grant or person can allow, by what is known now; nothing: it is not that.
  std::optional<Decision> never_allowed(const CommandQuestion& question) const;

  // Whether it would run without a question.
  bool needs_nobody(const CommandQuestion& question) const;

  // A session for which nobody is asked, in this program. An empty key is none.
  void set_yolo(const std::string& session_key, bool on);
  // Forgets its grants and its yolo, and denies what it waits for.
  void clear_session(const std::string& session_key);

  // Who is asked, and the questions that wait.
  Approvers& approvers() { return approvers_; }

 private:
  struct Judged {
    guard::Judgement judgement;
    shell::JudgedStart start;
  };
  guard::Judgement judge_with(const CommandQuestion& question,
                              const shell::SessionDefinitions& session) const;
  Judged judge(const CommandQuestion& question) const;
  Task<Decision> decide_judged(const CommandQuestion& question, Judged judged, CancelToken cancel);
  std::optional<Decision> decide_at_once(const CommandQuestion& question,
                                         const std::string& session_key,
                                         const guard::Judgement& judgement) const;
  bool is_refused_anyway(const CommandQuestion& question, const guard::Judgement& judgement);
  // A question that remains after everything that needs nobody's answer.
  struct Prepared {
    GrantPlace place;
    Findings findings;  // that no grant covers; empty: it may run
    std::vector<std::string> notices;
    ApprovalRequest request;
    Approvers::Kind approver = Approvers::Kind::nobody;
  };
  Task<Prepared> prepare(const CommandQuestion& question, const Judged& judged);
  Task<Decision> decide_by_asking(CommandQuestion question, Judged judged, CancelToken cancel);
  struct Looked {
    Preview preview;
    Prepared prepared;
  };
  Task<Looked> look_ahead(CommandQuestion question);
  Task<void> grant(const Findings& findings, const GrantPlace& place, const ApprovalAnswer& answer,
                   Decision& decision);

  host::Settings& settings_;
  host::Environments& environments_;
  Judge judge_;
  Approvers approvers_;
  Grants grants_;
  std::set<std::string> yolo_;
};

}  // namespace talaria::policy
