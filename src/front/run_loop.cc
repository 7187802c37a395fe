#include "front/run_loop.h"

#include <exception>
#include <utility>

#include "base/result.h"

namespace talaria::front {

void complain_of_bug(const Stdio& stdio, const std::exception_ptr& thrown) {
  complain(stdio, "internal error: " + exception_text(thrown) + " (a bug in Talaria)");
}

int run_front(asio::io_context& loop, Task<int> front, Stdio stdio, int failure_code) {
  int exit_code = failure_code;
  std::exception_ptr thrown;
  asio::co_spawn(loop, std::move(front), [&](std::exception_ptr error, int code) {
    thrown = error;
    if (!error) exit_code = code;
    loop.stop();  // an idle link must not keep the loop running
  });
  try {
    loop.run();
  } catch (...) {
    thrown = std::current_exception();
    exit_code = failure_code;
  }
  if (thrown) complain_of_bug(stdio, thrown);
  return exit_code;
}

}  // namespace talaria::front
