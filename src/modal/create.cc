#include "modal/create.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "modal/images.h"
#include "modal/sandboxes.h"
#include "os/random.h"

namespace talaria {
namespace {

// Building an image takes what it takes; whoever started us has a patience of his own.
constexpr std::chrono::hours kPreparing{2};
constexpr std::chrono::seconds kCreating{300};
constexpr std::chrono::seconds kCleaning{15};

CallResult<std::string> prepare_image(ControlPlane& plane, const CreateRequest& request,
                                      const std::string& app, const Patience& patience) {
  if (request.image_id.empty()) return build_image(plane, app, request.layers, patience);
  if (const auto found = check_image(plane, request.image_id, patience); !found) {
    return failed(found.error());
  }
  return request.image_id;
}

// The answer may be lost though the sandbox was made: then it is found by its mark.
void terminate_marked(ControlPlane& plane, const std::string& app, const std::string& mark) {
  Interrupt none;
  const Patience patience{Clock::now() + kCleaning, none};
  const auto found = list_marked(plane, app, mark, patience);
  if (!found) return;
  for (const std::string& sandbox : *found) terminate_again(plane, sandbox);
}

// Whether the service can have made one all the same.
bool is_in_doubt(const CallFailure& failure) {
  return failure.kind == ErrorKind::unavailable || failure.kind == ErrorKind::timed_out;
}

}  // namespace

void terminate_again(ControlPlane& plane, const std::string& sandbox) {
  Interrupt none;
  const Patience patience{Clock::now() + kCleaning, none};
  if (const auto ended = terminate_sandbox(plane, sandbox, patience); !ended) {
    plane.report().progress("the sandbox " + sandbox +
                            " is left behind: " + in_words(ended.error()));
  }
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

  // Not to be interrupted: who does not wait for the answer does not know what to terminate.
  Interrupt none;
  const std::string mark = random_uuid();
  const Patience creating{Clock::now() + std::min(kCreating, request.start_limit), none};
  auto created = create_sandbox(plane, request, *app, *image, mark, creating);
  if (!created) {
    if (is_in_doubt(created.error())) terminate_marked(plane, *app, mark);
    return failed(created.error());
  }
  if (created->task.empty()) {
    const Patience starting{Clock::now() + request.start_limit, interrupt};
    auto task = await_task(plane, created->id, starting);
    if (!task) {
      terminate_again(plane, created->id);
      return failed(task.error());
    }
    created->task = std::move(*task);
  }
  return StartedSandbox{created->id, created->task, *image};
}

}  // namespace talaria
