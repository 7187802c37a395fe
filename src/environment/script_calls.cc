#include "environment/script_calls.h"

#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "link/script_messages.h"

namespace talaria::environment {
namespace {

constexpr std::size_t kAnswerPart = 8u << 20;  // bytes in one message

}  // namespace

Task<void> ScriptCalls::serve() {
  const auto self = shared_from_this();
  executor_ = co_await asio::this_coro::executor;
  link::LinkCall call;
  call.request.data_limit = link::kDefaultWindow;
  call.request.resume = [process = process_](std::uint64_t received) {
    return link::Call{link::Method::script_calls,
                      link::encode(link::ScriptCalls{.process = process, .from = received})};
  };
  call.on_data = [this](std::string_view bytes) { take(input_.take(bytes)); };
  call.on_note = [this](std::string_view note) {
    if (const auto socket = link::decode<link::ScriptSocket>(note)) connect(*socket);
  };
  (void)co_await driver_->call(
      link::ScriptCalls{.process = process_, .takes = static_cast<bool>(reach_)}, std::move(call));
}

// Where that is impossible, or a connection was made before, calls come over the link. The note
// comes again over every connection of the link.
void ScriptCalls::connect(const link::ScriptSocket& socket) {
  if (ended_ || direct_ || !reach_) return;
  auto runner = reach_(socket.name);
  if (!runner) return;
  direct_ = std::make_shared<ScriptConnections>(
      asio::posix::stream_descriptor(executor_, runner->release()),
      [weak = weak_from_this()](std::uint32_t connection, std::string_view bytes) {
        const auto self = weak.lock();
        if (self) self->take(self->input_.take_from(connection, bytes));
      });
  spawn(executor_, direct_->serve(socket.key));
}

void ScriptCalls::end() {
  ended_ = true;
  if (direct_) direct_->end();
  for (auto& [number, cancel] : std::exchange(under_way_, {})) cancel.cancel();
}

void ScriptCalls::take(std::vector<ScriptLineReader::Heard> all) {
  for (ScriptLineReader::Heard& heard : all) {
    if (ended_) return;
    Open& open = open_[heard.connection];
    if (heard.line) {
      ++open.unanswered;
      spawn(executor_, answer(heard.connection, std::move(*heard.line)));
    } else {
      open.closed = true;
      spawn(executor_, close_if_done(heard.connection));
    }
  }
}

Task<void> ScriptCalls::answer(std::uint32_t connection, std::string line) {
  const auto self = shared_from_this();
  // What it brings about may reach take(), which is not done yet.
  co_await asio::post(executor_, asio::use_awaitable);
  if (ended_) co_return;
  const std::uint64_t number = ++lines_;
  const CancelToken cancel;  // of this call
  under_way_.emplace(number, cancel);
  std::string answer = co_await script_.answer(std::move(line), cancel);
  const bool given = co_await give(connection, std::move(answer), cancel);
  under_way_.erase(number);
  Open& open = open_[connection];
  --open.unanswered;
  open.closed |= !given;
  co_await close_if_done(connection);
}

// False: it could not be given. There may be nothing to give; only what is given has a number.
Task<bool> ScriptCalls::give(std::uint32_t connection, std::string answer, CancelToken cancel) {
  if (answer.empty()) co_return true;
  if (direct_ && direct_->has(connection)) co_return direct_->give(connection, std::move(answer));
  const std::uint64_t number = ++answers_;
  for (std::size_t from = 0; from < answer.size() && !ended_;) {
    link::ScriptAnswer part{.process = process_,
                            .connection = connection,
                            .number = number,
                            .from = from,
                            .data = answer.substr(from, kAnswerPart)};
    from += part.data.size();
    part.last = from == answer.size();
    if (co_await driver_->call(std::move(part), {}, cancel)) continue;
    // A caller that waits for it would wait for minutes.
    co_await close(connection, number);
    co_return false;
  }
  co_return true;
}

Task<void> ScriptCalls::close(std::uint32_t connection, std::uint64_t number) {
  if (ended_) co_return;
  link::ScriptAnswer end{
      .process = process_, .connection = connection, .number = number, .last = true, .close = true};
  (void)co_await driver_->call(std::move(end));
}

Task<void> ScriptCalls::close_if_done(std::uint32_t connection) {
  const auto self = shared_from_this();
  const auto open = open_.find(connection);
  if (open == open_.end() || !open->second.closed || open->second.unanswered > 0) co_return;
  open_.erase(open);
  if (direct_ && direct_->has(connection)) co_return direct_->close(connection);
  co_await close(connection, ++answers_);
}

}  // namespace talaria::environment
