// Talaria in a program that has a Boost.Asio loop: calls that take a completion token (a callback,
// use_awaitable, use_future, ...) and heed the cancellation slot that it brings. Only this header
// knows Boost: the library shows nothing of its own, so the program's may be of another version.
//
//   asio::awaitable<void> greet(talaria::Runtime& runtime) {
//     const auto executor = co_await asio::this_coro::executor;
//     auto outcome = co_await talaria::async_run(executor, runtime, {.text = "echo hi"},
//                                                asio::use_awaitable);
//   }
//
// The completion handler is called through its own executor, else through `executor`. The loop must
// outlive the Runtime. on_output is called on a thread of the Runtime, not on the loop.
#pragma once

#include <talaria/cancel.h>
#include <talaria/command.h>
#include <talaria/error.h>
#include <talaria/runtime.h>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/version.hpp>

static_assert(BOOST_ASIO_VERSION >= 102100,
              "talaria/asio.h needs Asio 1.21 (Boost 1.78) or newer, which has cancellation slots");

namespace talaria {

// Any call of the library that has a callback, on a loop. `start` is given a Cancel and the
// callback:
//
//   talaria::async_start<talaria::Result<talaria::ProcessInfo>>(
//       executor,
//       [&](talaria::Cancel cancel, auto done) { processes.wait(id, cancel, std::move(done)); },
//       asio::use_awaitable);
template <class Answer, class Executor, class Start, class Token>
auto async_start(const Executor& executor, Start start, Token&& token) {
  namespace asio = boost::asio;
  const auto initiate = [](auto handler, Executor fallback, Start begin) {
    using Handler = decltype(handler);
    const auto there = asio::get_associated_executor(handler, fallback);
    const auto slot = asio::get_associated_cancellation_slot(handler);
    Cancel cancel;
    if (slot.is_connected()) {
      asio::get_associated_cancellation_slot(handler).assign(
          [cancel](asio::cancellation_type) { cancel.cancel(); });
    }
    // The handler need not be copyable, and the callback is copied.
    struct State {
      Handler handler;
      asio::executor_work_guard<std::decay_t<decltype(there)>> work;
    };
    auto state = std::make_shared<State>(
        State{std::move(handler), asio::executor_work_guard<std::decay_t<decltype(there)>>(there)});
    begin(cancel, std::function<void(Answer)>([state](Answer answer) {
            const auto executor_of_handler = state->work.get_executor();
            asio::post(executor_of_handler, [state, answer = std::move(answer)]() mutable {
              auto held = asio::get_associated_cancellation_slot(state->handler);
              if (held.is_connected()) held.clear();
              const auto work = std::move(state->work);
              Handler last = std::move(state->handler);
              std::move(last)(std::move(answer));
            });
          }));
  };
  return asio::async_initiate<Token, void(Answer)>(initiate, token, executor, std::move(start));
}

// Runtime::run(). Cancelling ends the command, and the outcome says so.
template <class Executor, class Token>
auto async_run(const Executor& executor, Runtime& runtime, Command command, Token&& token) {
  return async_start<Result<Outcome>>(
      executor,
      [&runtime, command = std::move(command)](Cancel cancel, auto done) mutable {
        runtime.run(std::move(command), std::move(cancel), std::move(done));
      },
      std::forward<Token>(token));
}

// Runtime::call().
template <class Executor, class Token>
auto async_call(const Executor& executor, Runtime& runtime, std::string tool, std::string arguments,
                CallContext context, Token&& token) {
  return async_start<std::string>(
      executor,
      [&runtime, tool = std::move(tool), arguments = std::move(arguments),
       context = std::move(context)](Cancel cancel, auto done) mutable {
        runtime.call(std::move(tool), arguments, std::move(context), std::move(cancel),
                     std::move(done));
      },
      std::forward<Token>(token));
}

}  // namespace talaria
