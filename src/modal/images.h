// Images: what a sandbox is made of.
#pragma once

#include <string>
#include <vector>

#include "modal/call_result.h"
#include "modal/channel.h"
#include "modal/control_plane.h"

namespace talaria::modal {

// Whether there is one by that id (or no longer: a snapshot has a time of its own).
CallResult<void> check_image(ControlPlane& plane, const std::string& id, const Patience& patience);

// The failure of a call that named an image, as check_image() would say it if the image is gone: it
// may go between that look and the call.
CallFailure image_failure(CallFailure failure);

// Builds what is not built yet, layer upon layer, each of lines of a Dockerfile; what the builder
// says is reported as progress. The id of the last.
CallResult<std::string> build_image(ControlPlane& plane, const std::string& app_id,
                                    const std::vector<std::vector<std::string>>& layers,
                                    const Patience& patience);

}  // namespace talaria::modal
