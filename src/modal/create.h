// Creating a sandbox such that none is left behind if that fails, or is given up.
#pragma once

#include <string>

#include "modal/call_result.h"
#include "modal/control_plane.h"
#include "modal/create_request.h"
#include "modal/interrupt.h"

namespace talaria::modal {

struct StartedSandbox {
  std::string sandbox;
  std::string task;
  std::string image;
};

CallResult<StartedSandbox> create_and_start(ControlPlane& plane, const CreateRequest& request,
                                            Interrupt& interrupt);

// For a caller that cannot use it. What to add to the message of the failure if it is left behind,
// which costs; else nothing.
std::string terminate_again(ControlPlane& plane, const std::string& sandbox);

}  // namespace talaria::modal
