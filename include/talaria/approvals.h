// Approvals: questions to people about commands: those of this program, and those that other
// programs put into the queue of the same home. A program that answers its own questions may prefer
// Hooks::ask.
//
// They fail (ErrorReason::closed) once the Runtime is destroyed.
#pragma once

#include <talaria/approval.h>
#include <talaria/runtime.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace talaria {

class TALARIA_API Approvals {
 public:
  explicit Approvals(const Runtime& runtime) : loop_(runtime.loop()) {}

  // Open questions in the queue, oldest first; `all`: also answered ones.
  Result<std::vector<QueuedApproval>> list(bool all = false);
  void list(bool all, std::function<void(Result<std::vector<QueuedApproval>>)> done);

  // Answers a question in the queue. Only the first answer is used; later ones get an Error, and so
  // does an approval by a process that a command of Talaria has started.
  Result<QueuedApproval> answer(const std::string& id, Answer answer,
                                AnswerWidth width = AnswerWidth::narrowest,
                                std::chrono::seconds lasts = {});
  void answer(const std::string& id, ApprovalAnswer answer,
              std::function<void(Result<QueuedApproval>)> done);
  // Answers the oldest question of a session that waits in this program, or all; returns how many.
  Result<std::size_t> resolve(const std::string& session_key, Answer answer, bool all = false);

  // A session for which nobody is asked, in this program.
  // An Error for a program that was started by a command: it cannot switch off its own approvals.
  Result<void> set_yolo(const std::string& session_key, bool on);
  // Forgets what was allowed for a session, and denies its open questions.
  Result<void> clear_session(const std::string& session_key);

  // From now on questions of this session ("": of all) go to the queue, and `on_ask` is called with
  // them on the runtime's thread. Ends with leave() or with the listener, and denies questions that
  // nobody else can answer.
  class TALARIA_API Listener {
   public:
    Listener(Listener&& other) noexcept;
    Listener& operator=(Listener&& other) noexcept;
    ~Listener();
    void leave();

   private:
    friend class Approvals;
    class State;
    explicit Listener(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  Result<Listener> listen(std::string session_key,
                          std::function<void(const ApprovalRequest&)> on_ask);

 private:
  std::shared_ptr<RuntimeLoop> loop_;
};

}  // namespace talaria
