// run_all(): many jobs, some at the same time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "base/task.h"

namespace talaria {

using Job = std::function<Task<void>()>;

namespace run_all_detail {

// One after the other, of those that nobody has begun.
inline Task<void> work(const std::vector<Job>& jobs, std::size_t& next) {
  while (next < jobs.size()) {
    const Job& job = jobs[next++];
    co_await job();
  }
}

inline Task<void> work_together(const std::vector<Job>& jobs, std::size_t& next,
                                std::size_t workers) {
  using asio::experimental::awaitable_operators::operator&&;
  if (workers <= 1) {
    co_await work(jobs, next);
  } else {
    co_await (work(jobs, next) && work_together(jobs, next, workers - 1));
  }
}

}  // namespace run_all_detail

// Does all of them, in their order, at most `most` at a time, and returns when the last is done.
inline Task<void> run_all(std::vector<Job> jobs, std::size_t most) {
  std::size_t next = 0;
  co_await run_all_detail::work_together(jobs, next, std::min(most, jobs.size()));
}

}  // namespace talaria
