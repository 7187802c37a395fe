// Approvers: who can be asked about a command, and how they are asked: a hook of the embedding
// program, the person at the terminal, or the queue, where every program with this home can answer.
// A question at the terminal is in the queue as well, and the first answer counts. Only "once",
// "session" and "always" approve.
#pragma once

#include <talaria/approval.h>

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "base/task.h"
#include "host/approval_queue.h"
#include "host/interaction.h"
#include "host/settings.h"
#include "policy/approval/decision.h"
#include "policy/approval/open_question.h"

namespace talaria::policy {

// A chat is where the person is.
bool in_chat(const host::ApprovalConfig& config);

class Approvers {
 public:
  enum class Kind { nobody, hook, terminal, queue };

  // All of it outlives them.
  Approvers(host::Settings& settings, std::shared_ptr<host::HomeDatabase> database,
            const host::Interaction& people);
  Approvers(const Approvers&) = delete;
  Approvers& operator=(const Approvers&) = delete;

  Kind kind_for(const std::string& session_key, const host::ApprovalConfig& config) const;

  // What was decided by asking, and the answer if there was one.
  struct Asked {
    Decision decision;
    ApprovalAnswer answer;
  };
  // `waits`: for the answer, where the question goes to the queue.
  Task<Asked> ask(ApprovalRequest request, Kind kind, bool waits, CancelToken cancel);

  // Answers the oldest question of a session that waits in this program, or all; how many there
  // were.
  std::size_t resolve(const std::string& session_key, const ApprovalAnswer& answer, bool all);

  // From now on the listener is called with the questions of this session ("": of all) that go to
  // the queue. One that answers is a way to ask; one that only watches is not, but a call waits for
  // the answer to its question as long as somebody watches. leave() denies the questions that
  // nobody else can answer.
  enum class Role { answers, watches };
  using Listener = std::function<void(const ApprovalRequest&)>;
  std::uint64_t listen(std::string session_key, Role role, Listener listener);
  void leave(std::uint64_t id);
  bool has_listener(const std::string& session_key, Role least) const;

  host::ApprovalQueue& queue() { return queue_; }

 private:
  struct Waiting {
    ApprovalRequest request;
    std::shared_ptr<OpenQuestion> wait;
  };
  struct Subscribed {
    std::string session_key;
    Role role;
    Listener listener;
  };

  Task<Asked> leave_in_queue(ApprovalRequest request);
  Task<Result<std::optional<os::WakePipe>>> put(ApprovalRequest& request, bool waits);
  void notify_listeners(const ApprovalRequest& request) const;

  // wait_for_answer.cc
  Task<Asked> wait_for_answer(ApprovalRequest request, Kind kind, CancelToken cancel);
  Task<Result<void>> ask_one(Kind kind, ApprovalRequest& request, asio::any_io_executor executor,
                             std::shared_ptr<OpenQuestion> wait);
  Task<Result<void>> ask_in_queue(ApprovalRequest& request, asio::any_io_executor executor,
                                  std::shared_ptr<OpenQuestion> wait);
  Task<void> watch_queue(std::shared_ptr<os::WakePipe> waiter, std::string id,
                         std::shared_ptr<OpenQuestion> wait);

  host::Settings& settings_;
  const host::Interaction& people_;
  std::shared_ptr<host::HomeDatabase> database_;
  host::ApprovalQueue queue_;
  std::list<Waiting> waiting_;  // the oldest first
  std::map<std::uint64_t, Subscribed> subscribed_;
  std::uint64_t subscriptions_ = 0;
};

}  // namespace talaria::policy
