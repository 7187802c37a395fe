#include "environment/link_input.h"

#include <cstddef>
#include <utility>

namespace talaria::environment {
namespace {}  // namespace

// The input goes inside the requests, piece by piece, because a batch cannot bring credit back
// while it is being written. What becomes of it the start's answer tells.
Task<void> write_input(std::shared_ptr<link::LinkDriver> driver, std::string process,
                       std::string input, bool end) {
  std::size_t from = 0;
  do {
    link::Write write{.process = process, .from = from, .data = input.substr(from, kInputPiece)};
    from += write.data.size();
    write.end = end && from == input.size();
    if (co_await driver->call(std::move(write))) continue;
    // Nobody would ever give it the rest.
    (void)co_await driver->call(link::Kill{.process = process});
    co_return;
  } while (from < input.size());
}

}  // namespace talaria::environment
