#include "modal/verbs.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

#include <boost/json/object.hpp>
#include <grpcpp/grpcpp.h>
#include <task_command_router.grpc.pb.h>

#include "base/version.h"
#include "json/json_text.h"
#include "modal/ask.h"
#include "modal/create.h"
#include "modal/end_watch.h"
#include "modal/exec.h"
#include "modal/router.h"
#include "modal/sandboxes.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria::modal {
namespace {

constexpr std::chrono::seconds kQuestion{30};
constexpr std::chrono::minutes kOpening{5};
constexpr std::size_t kMostRequest = 16 * 1024 * 1024;
constexpr int kSignalBase = 128;
constexpr int kPipeSignal = 13;

Patience within(std::chrono::seconds time, Interrupt& interrupt) {
  return Patience{Clock::now() + time, interrupt};
}

CallFailure ours(const Error& error) { return {error.kind(), "", "", error.message()}; }

// False if nobody takes it.
bool answer(const json::object& object) {
  return os::write_all(STDOUT_FILENO, to_line(object) + "\n").has_value();
}

Result<std::string> read_request(const Interrupt& interrupt) {
  std::string text;
  std::string piece(64 * 1024, '\0');
  for (;;) {
    if (!interrupt.wait_for_input(STDIN_FILENO)) {
      return fail(ErrorKind::interrupted, "given up before it was known what to create");
    }
    const ssize_t size = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return fail(Error::from_errno("reading what to create"));
    if (size == 0) return text;
    text.append(piece, 0, static_cast<std::size_t>(size));
    if (text.size() > kMostRequest) return fail(ErrorKind::bad_request, "that is too long");
  }
}

// A snapshot of a sandbox's files, as an image from which others can be made. `ttl`: how long the
// service keeps it. Its id is ours, so that there is one however often it is requested.
CallResult<std::string> snapshot(Router& router, std::chrono::seconds ttl,
                                 const Patience& patience) {
  ::modal::task_command_router::TaskSnapshotFilesystemRequest request;
  request.set_task_id(router.task());
  request.set_snapshot_id(os::random_uuid());
  request.set_ttl_seconds(ttl.count());
  const auto answer =
      ask(router, "TaskSnapshotFilesystem",
          &::modal::task_command_router::TaskCommandRouter::Stub::TaskSnapshotFilesystem, request,
          Patience{patience.deadline, patience.interrupt, std::chrono::hours(1)});
  if (!answer) return failed(answer.error());
  return answer->image_id();
}

// What the verbs need; each of them is a call.
class Program {
 public:
  explicit Program(const Account& account)
      : watch_(STDOUT_FILENO,
               [this](int signal) {
                 signal_ = signal;
                 interrupt_.trigger();
               }),
        plane_(account, report_) {}

  int operator()(const CreateVerb&) {
    // The caller may be killed, and then nobody would know what was made.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    const Result<std::string> text = read_request(interrupt_);
    if (!text) return complain(ours(text.error()));
    const Result<CreateRequest> request = parse_create_request(*text);
    if (!request) return complain(ours(request.error()));
    const auto made = create_and_start(plane_, *request, interrupt_);
    if (!made) return complain(made.error());
    const json::object said{
        {"sandbox", made->sandbox}, {"task", made->task}, {"image", made->image}};
    if (!interrupt_.triggered() && answer(said)) return kVerbDone;
    const std::string left = terminate_again(plane_, made->sandbox);
    return complain({ErrorKind::interrupted, "", "", "given up" + left});
  }

  int operator()(const FindVerb& verb) {
    const Patience patience = within(kQuestion, interrupt_);
    const auto found = find_sandbox(plane_, verb.app, verb.name, patience);
    if (!found) return complain(found.error());
    if (!*found) return say({{"sandbox", nullptr}});
    const auto state = look_at(plane_, **found, patience);
    if (!state) return complain(state.error());
    return say({{"sandbox", **found}, {"running", state->running}});
  }

  int operator()(const LookVerb& verb) {
    const auto state = look_at(plane_, verb.sandbox, within(kQuestion, interrupt_));
    if (!state) return complain(state.error());
    if (state->running) return say({{"running", true}});
    return say({{"running", false}, {"result", state->result}, {"message", state->message}});
  }

  int operator()(const ExecVerb& verb) {
    const int code = exec(verb);
    std::_Exit(code);  // threads of it may wait for somebody who never comes
  }

  int operator()(const SnapshotVerb& verb) {
    const Patience patience = within(verb.limit, interrupt_);
    const auto router = Router::open(plane_, verb.sandbox, patience);
    if (!router) return complain(router.error());
    const auto image = snapshot(**router, verb.ttl, patience);
    if (!image) return complain(image.error());
    return say({{"image", *image}});
  }

  int operator()(const TerminateVerb& verb) {
    // What was begun is brought to its end: the limit is not far, and a sandbox costs money.
    Interrupt none;
    const auto ended = terminate_sandbox(plane_, verb.sandbox, within(verb.limit, none));
    if (!ended) return complain(ended.error());
    return say({});
  }

  int operator()(const VersionVerb&) { return kVerbFailed; }  // needs no program

 private:
  int say(const json::object& object) { return answer(object) ? kVerbDone : kVerbFailed; }

  int complain(const CallFailure& failure) {
    report_.failure(failure);
    return kVerbFailed;
  }

  int exec(const ExecVerb& verb) {
    const auto router = Router::open(plane_, verb.sandbox, within(kOpening, interrupt_));
    const Streams streams{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    const CallResult<ExitStatus> status =
        router ? run_exec(**router, verb.command, streams, interrupt_) : failed(router.error());
    if (status) {
      const auto* killed = std::get_if<Signaled>(&*status);
      return killed != nullptr ? kSignalBase + killed->signal : std::get<Exited>(*status).code;
    }
    if (status.error().kind == ErrorKind::interrupted) {
      return kSignalBase + (signal_ == kReaderGone ? kPipeSignal : signal_.load());
    }
    report_.for_people(status.error());
    return kExecFailed;
  }

  std::atomic<int> signal_ = kReaderGone;
  Interrupt interrupt_;
  Report report_{STDERR_FILENO};
  EndWatch watch_;  // before gRPC has threads
  ControlPlane plane_;
};

}  // namespace

int run_verb(const Verb& verb, const Account& account) {
  prepare_grpc();
  Program program(account);
  return std::visit(program, verb);
}

std::string version_line() {
  return to_line(json::object{{"version", kVersion}, {"grpc", grpc::Version()}});
}

}  // namespace talaria::modal
