// A snapshot of a sandbox's files, as an image of which others can be made.
#pragma once

#include <chrono>
#include <string>

#include "modal/call_result.h"
#include "modal/channel.h"
#include "modal/router.h"

namespace talaria::modal {

// `ttl`: how long the service keeps it. Its id is ours, so that there is one however often it is
// asked for.
CallResult<std::string> snapshot(Router& router, std::chrono::seconds ttl,
                                 const Patience& patience);

}  // namespace talaria::modal
