#include "modal/create.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "modal/images.h"
#include "modal/sandboxes.h"
#include "os/random.h"

namespace talaria::modal {
namespace {

// Building an image may take long; the caller has a time limit of its own.
constexpr std::chrono::hours kPreparing{2};
constexpr std::chrono::seconds kCreating{60};
constexpr std::chrono::seconds kCleaning{15};
constexpr std::chrono::seconds kGrace{20};
constexpr std::chrono::seconds kListing{1};
constexpr int kListings = 3;

CallResult<std::string> prepare_image(ControlPlane& plane, const CreateRequest& request,
                                      const std::string& app, const Patience& patience) {
  if (request.image_id.empty()) return build_image(plane, app, request.layers, patience);
  if (const auto found = check_image(plane, request.image_id, patience); !found) {
    return failed(found.error());
  }
  return request.image_id;
}

// The answer may be lost though the sandbox was made: then it is found by its mark. The service may
// also be slow, and about to make it. What to add to the failure, as terminate_again().
std::string terminate_marked(ControlPlane& plane, const std::string& app, const std::string& mark,
                             const CallFailure& why) {
  Interrupt none;
  std::string left;
  const int most = why.kind == ErrorKind::unavailable ? 1 : kListings;
  for (int turn = 0; turn < most; ++turn) {
    if (turn > 0) none.sleep(kListing);
    const auto found = list_marked(plane, app, mark, Patience{Clock::now() + kCleaning, none});
    if (!found)
      return "; whether one was made all the same is not known: " + message_of(found.error());
    for (const std::string& sandbox : *found) left += terminate_again(plane, sandbox);
    if (!found->empty()) break;
  }
  return left;
}

// Whether the service can have made one all the same.
bool is_in_doubt(const CallFailure& failure) {
  return failure.kind == ErrorKind::unavailable || failure.kind == ErrorKind::timed_out ||
         failure.kind == ErrorKind::interrupted;
}

// Triggers `late` some time after `asked`, unless it is destroyed before.
class Grace {
 public:
  Grace(const Interrupt& asked, Interrupt& late) : thread_([&] { watch(asked, late); }) {}
  Grace(const Grace&) = delete;
  Grace& operator=(const Grace&) = delete;
  ~Grace() {
    done_.trigger();
    thread_.join();
  }

 private:
  void watch(const Interrupt& asked, Interrupt& late) {
    pollfd waits[] = {{asked.fd(), POLLIN, 0}, {done_.fd(), POLLIN, 0}};
    while (!asked.triggered() && !done_.triggered()) ::poll(waits, 2, -1);
    if (done_.sleep(kGrace)) late.trigger();
  }

  Interrupt done_;
  std::thread thread_;
};

// Not interrupted at once: who does not wait for the answer does not know what to terminate.
CallResult<NewSandbox> create_marked(ControlPlane& plane, const CreateRequest& request,
                                     const std::string& app, const std::string& image,
                                     const Interrupt& interrupt) {
  Interrupt late;
  const Grace grace(interrupt, late);
  const std::string mark = os::random_uuid();
  const auto limit = std::max(kCreating, request.start_limit);
  const Patience patience{Clock::now() + limit, late};
  auto created = create_sandbox(plane, request, app, image, mark, patience);
  if (!created && is_in_doubt(created.error())) {
    created.error().message += terminate_marked(plane, app, mark, created.error());
  }
  return created;
}

}  // namespace

std::string terminate_again(ControlPlane& plane, const std::string& sandbox) {
  Interrupt none;
  const Patience patience{Clock::now() + kCleaning, none};
  const auto ended = terminate_sandbox(plane, sandbox, patience);
  return ended ? "" : "; the sandbox " + sandbox + " is left behind: " + message_of(ended.error());
}

CallResult<StartedSandbox> create_and_start(ControlPlane& plane, const CreateRequest& request,
                                            Interrupt& interrupt) {
  const Patience preparing{Clock::now() + kPreparing, interrupt};
  const CallResult<std::string> app = app_id(plane, request.app, preparing);
  if (!app) return failed(app.error());
  const CallResult<std::string> image = prepare_image(plane, request, *app, preparing);
  if (!image) return failed(image.error());
  if (interrupt.triggered()) {
    return failed({ErrorKind::interrupted, "", "", "given up before anything was created"});
  }

  auto created = create_marked(plane, request, *app, *image, interrupt);
  if (!created) return failed(created.error());
  if (created->task.empty()) {
    const Patience starting{Clock::now() + request.start_limit, interrupt};
    auto task = await_task(plane, created->id, starting);
    if (!task) {
      task.error().message += terminate_again(plane, created->id);
      return failed(task.error());
    }
    created->task = std::move(*task);
  }
  return StartedSandbox{created->id, created->task, *image};
}

}  // namespace talaria::modal
