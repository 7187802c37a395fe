// AsioApprovals: what people are asked about commands, for programs with an Asio loop: the
// questions of this program and those other programs put into the queue of the same home.
#pragma once

#include <talaria/approval.h>
#include <talaria/asio.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

class AsioApprovals {
 public:
  explicit AsioApprovals(const AsioRuntime& runtime);

  // Those in the queue that can be answered, oldest first; `all`: also those that were.
  Result<std::vector<QueuedApproval>> list(bool all = false);
  // "once", "session", "always" or "deny", to a question in the queue. Of several answers the first
  // counts; the others get an Error.
  Result<QueuedApproval> answer(const std::string& id, std::string_view word);
  // To the oldest question of a session that waits in this program, or to all: how many.
  std::size_t resolve(const std::string& session_key, std::string_view word, bool all = false);

  // A session for which nobody is asked, in this program.
  void set_yolo(const std::string& session_key, bool on);
  // Forgets what was allowed for a session, and denies what it waits for.
  void clear_session(const std::string& session_key);

  // From now on the queue is asked for this session ("": for all), and `told` hears of it. Ends
  // with leave(): what waits for them alone is denied then.
  std::uint64_t listen(std::string session_key, std::function<void(const ApprovalRequest&)> told);
  void leave(std::uint64_t id);

 private:
  std::shared_ptr<AsioRuntime::Core> core_;
};

}  // namespace talaria
