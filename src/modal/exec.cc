#include "modal/exec.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <grpcpp/support/sync_stream.h>
#include <task_command_router.grpc.pb.h>

#include "modal/ask.h"
#include "modal/input_queue.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria::modal {
namespace {

namespace wire = ::modal::task_command_router;
using Stub = wire::TaskCommandRouter::Stub;

constexpr std::size_t kInputPiece = 1024 * 1024;
constexpr std::size_t kReadPiece = 64 * 1024;
constexpr std::chrono::seconds kWaitAttempt{60};
constexpr std::chrono::milliseconds kGoodbye{500};
constexpr auto kForEver = Clock::time_point::max() - std::chrono::hours(24);

// Shared by its threads; outlives those that are left behind.
class Exec : public std::enable_shared_from_this<Exec> {
 public:
  Exec(Router& router, const Streams& streams, Interrupt& interrupt)
      : router_(router),
        streams_(streams),
        interrupt_(interrupt),
        patience_{kForEver, interrupt, std::chrono::hours(24 * 365)},
        id_(os::random_uuid()) {}

  CallResult<ExitStatus> run(const std::vector<std::string>& command) {
    if (auto started = start(command); !started) return failed(started.error());
    spawn([this] { read_input(); });
    spawn([this] { send_input(); });
    spawn([this] { receive(wire::TASK_EXEC_STDIO_FILE_DESCRIPTOR_STDOUT, streams_.out); });
    spawn([this] { receive(wire::TASK_EXEC_STDIO_FILE_DESCRIPTOR_STDERR, streams_.err); });
    spawn([this] { wait(); });
    spawn([this] { heed_interrupt(); });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return failure_ || (status_ && outputs_ == 0); });
    const std::optional<CallFailure> failure = failure_;  // what comes from now on is our doing
    lock.unlock();
    if (failure) say_goodbye();
    interrupt_.trigger();
    input_.close();
    if (failure) return failed(*failure);
    return *status_;
  }

 private:
  template <class Work>
  void spawn(Work work) {
    std::thread([self = shared_from_this(), work] { work(); }).detach();
  }

  template <class Request>
  Request request() const {
    Request request;
    request.set_task_id(router_.task());
    request.set_exec_id(id_);
    return request;
  }

  // Its id is ours, so it runs once however often it is said.
  CallResult<void> start(const std::vector<std::string>& command) {
    auto start = request<wire::TaskExecStartRequest>();
    for (const std::string& argument : command) start.add_command_args(argument);
    start.set_stdout_config(wire::TASK_EXEC_STDOUT_CONFIG_PIPE);
    start.set_stderr_config(wire::TASK_EXEC_STDERR_CONFIG_PIPE);
    const Patience patience{kForEver, interrupt_};
    const auto answer = ask(router_, "TaskExecStart", &Stub::TaskExecStart, start, patience);
    if (!answer) return failed(answer.error());
    return {};
  }

  void read_input() {
    std::string piece(kReadPiece, '\0');
    for (;;) {
      if (!interrupt_.wait_for_input(streams_.in)) return;
      const ssize_t size = ::read(streams_.in, piece.data(), piece.size());
      if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (size <= 0) break;  // a broken input is one that ended
      if (!input_.add({piece.data(), static_cast<std::size_t>(size)})) return;
    }
    input_.end();
  }

  // A piece may be sent again: the router takes each offset once.
  void send_input() {
    for (bool ended = false; !ended;) {
      auto piece = request<wire::TaskExecStdinWriteRequest>();
      piece.set_data(input_.take());
      piece.set_offset(sent_);
      ended = piece.data().empty();
      piece.set_eof(ended);
      if (interrupt_.triggered()) return;
      const auto answer =
          ask(router_, "TaskExecStdinWrite", &Stub::TaskExecStdinWrite, piece, patience_);
      if (!answer) {
        refuse_input(answer.error());
        return;
      }
      sent_ += piece.data().size();
    }
  }

  // A command that takes no more input, or has ended, is none that failed.
  void refuse_input(const CallFailure& failure) {
    input_.close();
    const bool taken_no_more = failure.status == status_name(status::kFailedPrecondition) ||
                               failure.status == status_name(status::kNotFound);
    if (!taken_no_more) give_up(failure);
  }

  // From where the last stream broke, until the output ends.
  void receive(wire::TaskExecStdioFileDescriptor which, int fd) {
    auto from = request<wire::TaskExecStdioReadRequest>();
    from.set_file_descriptor(which);
    Router::Repetition repetition(router_, "TaskExecStdioRead", patience_, kRouterRules);
    for (;;) {
      Stub stub(router_.channel());
      grpc::ClientContext context;
      repetition.begin(context);
      const Interrupt::Call cancelled(interrupt_, context);
      const auto reader = stub.TaskExecStdioRead(&context, from);
      wire::TaskExecStdioReadResponse said;
      while (reader->Read(&said)) {
        if (!pass_on(said.data(), fd)) return;
        from.set_offset(from.offset() + said.data().size());
        repetition.progressed();
      }
      const grpc::Status status = reader->Finish();
      if (status.ok()) break;
      if (auto failure = repetition.after(status)) return give_up(std::move(*failure));
    }
    const std::lock_guard lock(mutex_);
    --outputs_;
    changed_.notify_all();
  }

  // What nobody wants to hear on standard error is dropped; without a reader of the output there is
  // nothing left to do.
  bool pass_on(const std::string& bytes, int fd) {
    const Result<void> written = os::write_all(fd, bytes);
    if (written || fd == streams_.err) return true;
    const bool reader_gone = written.error().code() == EPIPE;
    give_up({reader_gone ? ErrorKind::interrupted : ErrorKind::system, "", "",
             "writing the output: " + written.error().message()});
    return false;
  }

  // Asked anew each minute, so that a connection that is silently dead is found out.
  void wait() {
    const auto request = this->request<wire::TaskExecWaitRequest>();
    const Patience patience{kForEver, interrupt_, kWaitAttempt};
    Router::Repetition repetition(router_, "TaskExecWait", patience, kWaitRules);
    for (;;) {
      Stub stub(router_.channel());
      grpc::ClientContext context;
      const auto its_time = Clock::now() + kWaitAttempt - std::chrono::seconds(1);
      repetition.begin(context);
      const Interrupt::Call cancelled(interrupt_, context);
      wire::TaskExecWaitResponse answer;
      const grpc::Status status = stub.TaskExecWait(&context, request, &answer);
      if (status.ok() && answer.has_code()) return ended(Exited{answer.code()});
      if (status.ok() && answer.has_signal()) return ended(Signaled{answer.signal()});
      if (status.error_code() == status::kDeadlineExceeded && Clock::now() > its_time) continue;
      const grpc::Status again = status.ok() ? grpc::Status(grpc::UNAVAILABLE, "no end") : status;
      if (status.ok()) repetition.progressed();
      if (auto failure = repetition.after(again)) return give_up(std::move(*failure));
    }
  }

  // Also while all others wait for somebody who reads.
  void heed_interrupt() {
    pollfd triggered{interrupt_.fd(), POLLIN, 0};
    while (!interrupt_.triggered()) ::poll(&triggered, 1, -1);
    give_up({ErrorKind::interrupted, "", "", "the program was asked to end"});
  }

  void ended(ExitStatus status) {
    const std::lock_guard lock(mutex_);
    status_ = status;
    changed_.notify_all();
  }

  void give_up(CallFailure failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    changed_.notify_all();
  }

  // What we leave behind gets no more input, if that can be said quickly.
  void say_goodbye() {
    Interrupt none;
    const Patience brief{Clock::now() + kGoodbye, none};
    auto last = request<wire::TaskExecStdinWriteRequest>();
    last.set_offset(sent_);
    last.set_eof(true);
    (void)ask(router_, "TaskExecStdinWrite", &Stub::TaskExecStdinWrite, last, brief);
  }

  Router& router_;
  const Streams streams_;
  Interrupt& interrupt_;
  const Patience patience_;
  const std::string id_;
  InputQueue input_{kInputPiece};
  std::atomic<std::uint64_t> sent_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  int outputs_ = 2;  // that have not come to their end
  std::optional<ExitStatus> status_;
  std::optional<CallFailure> failure_;
};

}  // namespace

CallResult<ExitStatus> run_exec(Router& router, const std::vector<std::string>& command,
                                const Streams& streams, Interrupt& interrupt) {
  return std::make_shared<Exec>(router, streams, interrupt)->run(command);
}

}  // namespace talaria::modal
