// Work that has to be done before a command can run at a target, and may take minutes: whoever
// waits is told what it is, when it begins and every while.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/task.h"

namespace talaria {

using Progress = std::function<void(const std::string&)>;

inline constexpr std::chrono::seconds kTellEvery{10};

namespace long_work_detail {

inline Task<void> tell_again(Progress progress, std::string what) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  const auto begun = std::chrono::steady_clock::now();
  for (;;) {
    timer.expires_after(kTellEvery);
    const auto [error] = co_await timer.async_wait(as_values);
    if (error) co_return;
    const auto passed =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun);
    progress(what + " (" + std::to_string(passed.count()) + " s)");
  }
}

}  // namespace long_work_detail

// `what`: "docker pulls the image x".
template <class T>
Task<T> long_work(Progress progress, std::string what, Task<T> work) {
  using asio::experimental::awaitable_operators::operator||;
  if (!progress) co_return co_await std::move(work);
  progress(what);
  auto done = co_await (std::move(work) ||
                        long_work_detail::tell_again(std::move(progress), std::move(what)));
  co_return std::get<0>(std::move(done));
}

}  // namespace talaria
