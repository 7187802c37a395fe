// Asking a runner what its login files bring.
#pragma once

#include <memory>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "link/driver.h"

namespace talaria {

// Cancelling ends the wait, not the reading. A runner that is lost meanwhile is `unavailable`:
// nothing was started there.
Task<Result<LoginReport>> ask_login(std::shared_ptr<LinkDriver> driver, Login request,
                                    CancelToken cancel);

}  // namespace talaria
