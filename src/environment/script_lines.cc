#include "environment/script_lines.h"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "link/script_messages.h"

namespace talaria {
namespace {

constexpr std::size_t kHeader = 8;
constexpr std::size_t kAnswerPart = 8u << 20;     // bytes in one message
constexpr std::size_t kLongestLine = 256u << 20;  // of all connections: what is longer is no call
constexpr std::size_t kShownLine = 1000;

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (int at = 3; at >= 0; --at) number = number << 8 | static_cast<unsigned char>(bytes[at]);
  return number;
}

}  // namespace

Task<void> ScriptLines::serve() {
  const auto self = shared_from_this();
  executor_ = co_await asio::this_coro::executor;
  LinkCall call;
  call.request.data_limit = kDefaultWindow;
  call.request.resume = [process = process_](std::uint64_t received) {
    return Call{Method::script_calls, encode(ScriptCalls{.process = process, .from = received})};
  };
  call.on_data = [this](std::string_view bytes) { take(bytes); };
  (void)co_await driver_->call(ScriptCalls{.process = process_}, std::move(call));
}

void ScriptLines::end() {
  ended_ = true;
  for (auto& [number, cancel] : std::exchange(under_way_, {})) cancel.cancel();
}

void ScriptLines::take(std::string_view bytes) {
  unread_ += bytes;
  std::size_t at = 0;
  while (!ended_ && unread_.size() - at >= kHeader) {
    const std::string_view rest = std::string_view(unread_).substr(at);
    const std::uint32_t size = little_endian(rest.substr(4));
    if (rest.size() < kHeader + size) break;
    take_record(little_endian(rest), rest.substr(kHeader, size));
    at += kHeader + size;
  }
  unread_.erase(0, at);
}

void ScriptLines::take_record(std::uint32_t connection, std::string_view bytes) {
  std::string& line = open_[connection];
  held_ -= line.size();
  if (bytes.empty()) {
    open_.erase(connection);
    return;
  }
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    line += bytes.substr(0, end);
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
    spawn(executor_, answer(connection, std::exchange(line, {})));
  }
  if (held_ + line.size() > kLongestLine) {  // its beginning is no call, and is told so
    line.resize(std::min(line.size(), kShownLine));
    spawn(executor_, answer(connection, std::exchange(line, {})));
  }
  held_ += line.size();
}

Task<void> ScriptLines::answer(std::uint32_t connection, std::string line) {
  const auto self = shared_from_this();
  // What it brings about may reach take(), which is not done yet.
  co_await asio::post(executor_, asio::use_awaitable);
  if (ended_) co_return;
  const std::uint64_t number = ++answers_;
  const CancelToken cancel;  // of this call
  under_way_.emplace(number, cancel);
  const std::string answer = co_await script_.answer(std::move(line), cancel);
  for (std::size_t from = 0; from < answer.size();) {
    ScriptAnswer part{.process = process_,
                      .connection = connection,
                      .number = number,
                      .from = from,
                      .data = answer.substr(from, kAnswerPart)};
    from += part.data.size();
    part.last = from == answer.size();
    if (ended_ || !co_await driver_->call(std::move(part), {}, cancel)) break;
  }
  under_way_.erase(number);
}

}  // namespace talaria
