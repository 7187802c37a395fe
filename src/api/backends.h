// Every kind of target there is.
#pragma once

#include <vector>

#include "base/task.h"
#include "host/backend.h"

namespace talaria {

std::vector<host::Backend> backends(const asio::any_io_executor& executor);

}  // namespace talaria
