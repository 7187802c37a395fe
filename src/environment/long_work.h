// Work that must be done before a command can run at a target and may take minutes. Progress is
// reported when it begins and every ten seconds.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include "base/task.h"

namespace talaria::environment {

using Progress = std::function<void(const std::string&)>;

inline constexpr std::chrono::seconds kReportEvery{10};

namespace long_work_detail {

inline Task<void> report_again(Progress progress, std::string what) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  const auto begun = std::chrono::steady_clock::now();
  for (;;) {
    timer.expires_after(kReportEvery);
    const auto [error] = co_await timer.async_wait(as_values);
    if (error) co_return;
    const auto passed =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun);
    progress(what + " (" + std::to_string(passed.count()) + " s)");
  }
}

template <class T>
Task<std::optional<T>> boxed(Task<T> work) {
  co_return co_await std::move(work);
}

}  // namespace long_work_detail

// `what`: "docker is pulling the image x". Work that usually takes no time is reported `later`.
enum class FirstReport { at_once, later };

template <class T>
Task<T> long_work(Progress progress, std::string what, Task<T> work,
                  FirstReport first_report = FirstReport::at_once) {
  using asio::experimental::awaitable_operators::operator||;
  if (!progress) co_return co_await std::move(work);
  if (first_report == FirstReport::at_once) progress(what);
  // What it throws comes as a value: `||` would wait for the other one then.
  auto working =
      asio::co_spawn(co_await asio::this_coro::executor, long_work_detail::boxed(std::move(work)),
                     asio::as_tuple(asio::use_awaitable));
  auto first = co_await (std::move(working) ||
                         long_work_detail::report_again(std::move(progress), std::move(what)));
  if (first.index() != 0) throw boost::system::system_error(asio::error::operation_aborted);
  auto [thrown, value] = std::get<0>(std::move(first));
  if (thrown) std::rethrow_exception(thrown);
  co_return std::move(*value);
}

}  // namespace talaria::environment
