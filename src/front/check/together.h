// together(): runs coroutines at the same time, until all have ended.
#pragma once

#include <utility>
#include <vector>

#include "base/run_all.h"
#include "base/task.h"

namespace talaria::front::check {

// The results, in order. T must have a default.
template <class T>
Task<std::vector<T>> together(std::vector<Task<T>> tasks) {
  std::vector<T> results(tasks.size());
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    jobs.emplace_back(
        [&results, &tasks, i]() -> Task<void> { results[i] = co_await std::move(tasks[i]); });
  }
  co_await run_all(std::move(jobs), tasks.size());
  co_return results;
}

}  // namespace talaria::front::check
