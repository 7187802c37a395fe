// Sandboxes: their life, from the creation to the end.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "modal/call_result.h"
#include "modal/channel.h"
#include "modal/control_plane.h"
#include "modal/create_request.h"

namespace talaria::modal {

CallResult<std::string> app_id(ControlPlane& plane, const std::string& name,
                               const Patience& patience);

struct NewSandbox {
  std::string id;
  std::string task;  // empty: it is still on its way
};

// `mark`: a tag by which a caller that lost the answer finds what was created (list_marked).
CallResult<NewSandbox> create_sandbox(ControlPlane& plane, const CreateRequest& request,
                                      const std::string& app_id, const std::string& image_id,
                                      const std::string& mark, const Patience& patience);
CallResult<std::vector<std::string>> list_marked(ControlPlane& plane, const std::string& app_id,
                                                 const std::string& mark, const Patience& patience);

// The task of a sandbox, once it has started. One that is over is not_found.
CallResult<std::string> await_task(ControlPlane& plane, const std::string& sandbox,
                                   const Patience& patience);

struct SandboxState {
  bool running = false;
  std::string result;  // "TIMEOUT", "TERMINATED", …; "NOT_FOUND" if the service knows none
  std::string message;
};
CallResult<SandboxState> look_at(ControlPlane& plane, const std::string& sandbox,
                                 const Patience& patience);

// Nothing if none of that name runs.
CallResult<std::optional<std::string>> find_sandbox(ControlPlane& plane, const std::string& app,
                                                    const std::string& name,
                                                    const Patience& patience);

// A missing one is not a failure.
CallResult<void> terminate_sandbox(ControlPlane& plane, const std::string& sandbox,
                                   const Patience& patience);

}  // namespace talaria::modal
