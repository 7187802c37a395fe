#include "runner/script/script_taker.h"

#include <sys/socket.h>

#include <array>
#include <chrono>
#include <span>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>

#include "base/time_limit.h"
#include "link/script_messages.h"
#include "os/channel.h"

namespace talaria::runner {
namespace {

constexpr auto kKeyPatience = std::chrono::seconds(5);
constexpr auto kTakerPatience = std::chrono::milliseconds(50);  // what the first call may wait

}  // namespace

Task<bool> ScriptTaker::says(Socket& socket, const std::string& key) {
  std::string said(key.size(), '\0');
  const auto [error, size] = co_await asio::async_read(socket, asio::buffer(said), as_values);
  co_return !error && said == key;
}

Task<void> ScriptTaker::serve(Socket socket) {
  const auto self = shared_from_this();
  if (!(co_await within(kKeyPatience, says(socket, key_))).value_or(false) || ended_) co_return;
  const auto controller = std::make_shared<Socket>(std::move(socket));
  controller_ = controller;
  decide();
  std::array<char, link::kTakenNumber> number;
  for (;;) {  // which it has closed
    const auto [error, size] =
        co_await asio::async_read(*controller, asio::buffer(number), as_values);
    if (error) break;
    given_.erase(link::read_taken({number.data(), number.size()}));
  }
  if (controller_ == controller) controller_.reset();
}

Task<void> ScriptTaker::decided() {
  if (decided_.is_set()) co_return;
  (void)co_await decided_.wait_for(kTakerPatience);
  decide();
}

bool ScriptTaker::give(std::uint32_t number, Socket& connection) {
  if (!controller_ || given_.size() >= link::kMostTaken) return false;
  const std::string said = link::encode_taken(number);
  const std::array fds{static_cast<int>(connection.native_handle())};
  if (!os::send_message(controller_->native_handle(), std::as_bytes(std::span(said)), fds)) {
    return false;
  }
  boost::system::error_code failed;
  os::UniqueFd kept(connection.release(failed));  // it wakes us up no more
  if (!failed) given_.emplace(number, std::move(kept));
  return true;
}

void ScriptTaker::end() {
  ended_ = true;
  decide();
  boost::system::error_code ignored;
  if (controller_) controller_->close(ignored);
  for (const auto& [number, connection] : std::exchange(given_, {})) {
    ::shutdown(connection.get(), SHUT_RDWR);  // the controller has it, too
  }
}

}  // namespace talaria::runner
