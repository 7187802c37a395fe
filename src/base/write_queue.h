// Writes a queue of texts to a stream, one after the other.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include "base/task.h"

namespace talaria {

// What is added meanwhile, too. Ends early if the stream breaks, which its reader notices. Both
// parameters outlive it.
template <class Stream>
Task<void> write_queue(Stream& stream, std::deque<std::string>& queue) {
  while (!queue.empty()) {
    const std::string bytes = std::move(queue.front());
    queue.pop_front();
    const auto [error, size] = co_await asio::async_write(stream, asio::buffer(bytes), as_values);
    if (error) co_return;
  }
}

}  // namespace talaria
