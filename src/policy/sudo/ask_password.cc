#include "policy/sudo/ask_password.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/event.h"
#include "base/time_limit.h"
#include "os/terminal_question.h"

namespace talaria::policy {
namespace {

// Between the call that waits and whoever answers, on any thread.
struct Reply {
  explicit Reply(const asio::any_io_executor& its_executor) : executor(its_executor) {}

  asio::any_io_executor executor;
  AsyncEvent came;  // for the loop's thread alone
  std::mutex mutex;
  Secret password;
  bool over = false;  // answered, or no longer waited for: nobody may use the executor any more
};

void answer(const std::shared_ptr<Reply>& reply, std::string_view password) {
  const std::scoped_lock lock(reply->mutex);
  if (reply->over) return;
  reply->over = true;
  reply->password = Secret(password);
  asio::post(reply->executor, [reply] { reply->came.set(); });
}

// One line of it, and nothing in it that would do something to the terminal.
std::string shown(std::string_view command) {
  constexpr std::size_t kMost = 200;
  std::string line(command.substr(0, kMost));
  std::ranges::replace_if(line, [](char c) { return c < ' ' || c > '~'; }, '?');
  return command.size() > kMost ? line + " ..." : line;
}

}  // namespace

Task<Secret> ask_password_by_hook(const Hooks& hooks, SudoRequest request, CancelToken cancel) {
  const auto reply = std::make_shared<Reply>(co_await asio::this_coro::executor);
  const auto until = AsyncEvent::Clock::now() + request.timeout;
  cancel.on_cancel([reply] { reply->came.set(); });
  const bool asked = host::ask_sudo_password(
      hooks, request, [reply](std::string_view password) { answer(reply, password); });
  if (asked) co_await reply->came.wait_until(until);
  cancel.on_cancel(nullptr);
  const std::scoped_lock lock(reply->mutex);
  reply->over = true;
  co_return std::move(reply->password);
}

Task<Secret> ask_password_at_terminal(SudoRequest request, CancelToken cancel) {
  const auto opened = os::TerminalQuestion::open(co_await asio::this_coro::executor);
  if (!opened || cancel.cancelled()) co_return Secret();
  os::TerminalQuestion& terminal = **opened;
  const std::string question = "\nThe command\n  " + shown(request.command) +
                               "\nwants sudo. Its password (not shown; Enter alone or " +
                               std::to_string(request.timeout.count()) +
                               " s of silence: go on without): ";
  cancel.on_cancel([&terminal] { terminal.give_up(); });
  auto typed = co_await within(request.timeout,
                               terminal.ask(question, os::TerminalQuestion::Typing::hidden));
  cancel.on_cancel(nullptr);
  const bool given = typed && *typed && !(*typed)->empty();
  terminal.say(given ? "\nTaken, and kept in memory for this session.\n" : "\nGoing on without.\n");
  co_return given ? std::move(**typed) : Secret();
}

}  // namespace talaria::policy
