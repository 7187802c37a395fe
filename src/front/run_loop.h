// Runs a front end on the event loop until it returns its exit code. An exception (a bug of ours)
// is reported and becomes `failure_code`.
#pragma once

#include <exception>

#include <boost/asio/io_context.hpp>

#include "base/task.h"
#include "front/stdio.h"

namespace talaria::front {

// Reports an exception that nothing else caught.
void complain_of_bug(const Stdio& stdio, const std::exception_ptr& thrown);

int run_front(asio::io_context& loop, Task<int> front, Stdio stdio, int failure_code);

}  // namespace talaria::front
