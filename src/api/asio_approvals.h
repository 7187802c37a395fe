// AsioApprovals: questions to people about commands, for programs with an Asio loop: those of this
// program, and those that other programs put into the queue of the same home.
#pragma once

#include <talaria/approval.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/asio_runtime.h"

namespace talaria {

class AsioApprovals {
 public:
  explicit AsioApprovals(const AsioRuntime& runtime);

  // Open questions in the queue, oldest first; `all`: also answered ones.
  Result<std::vector<QueuedApproval>> list(bool all = false);
  // Answers a question in the queue. Only the first answer is used; later ones get an Error, and so
  // does an approval by a process that a command of Talaria has started.
  boost::asio::awaitable<Result<QueuedApproval>> answer(std::string id, ApprovalAnswer answer);
  // Answers the oldest question of a session that waits in this program, or all; returns how many.
  std::size_t resolve(const std::string& session_key, const ApprovalAnswer& answer,
                      bool all = false);

  // One question, also if it was answered. not_found: there is none.
  Result<QueuedApproval> find(const std::string& id);

  // What would be decided about a command, by what is known of its session. Nobody is asked, and
  // nothing is started.
  boost::asio::awaitable<Result<ApprovalPreview>> judge(CommandToJudge command);
  // Allows a command beforehand, as a person who is asked about it may: `answer` is "session" or
  // "always". An Error (bad_request): nobody would be asked about it.
  boost::asio::awaitable<Result<std::vector<ApprovalGrant>>> grant(CommandToJudge command,
                                                                   ApprovalAnswer answer);

  // A session for which nobody is asked, in this program.
  // An Error for a program that was started by a command: it cannot switch off its own approvals.
  Result<void> set_yolo(const std::string& session_key, bool on);
  // Forgets what was allowed for a session, and denies its open questions.
  void clear_session(const std::string& session_key);

  // From now on questions of this session ("": of all) go to the queue, and `on_ask` is called
  // with them. leave() ends this, and denies questions that nobody else can answer.
  std::uint64_t listen(std::string session_key, std::function<void(const ApprovalRequest&)> on_ask);
  void leave(std::uint64_t id);

 private:
  std::shared_ptr<AsioRuntime::Core> core_;
};

}  // namespace talaria
