#include "front/lines/byte_channel.h"

#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/write.hpp>

namespace talaria::front::lines {

Result<std::shared_ptr<ByteChannel>> ByteChannel::open(const asio::any_io_executor& executor) {
  auto channel = std::make_shared<ByteChannel>(executor);
  boost::system::error_code error;
  asio::local::connect_pair(channel->write_end_, channel->read_end_, error);
  if (error) return fail(ErrorKind::unavailable, "no stream for its input: " + error.message());
  return channel;
}

Task<bool> ByteChannel::write(std::shared_ptr<ByteChannel> channel, std::string data, bool end) {
  channel->waiting_ += data.size();
  ++channel->writes_;
  const auto turn = co_await Gate::enter(channel->turn_);
  bool taken = !channel->closed_ && !channel->ended_;
  if (taken && !data.empty()) {
    const auto [error, size] =
        co_await asio::async_write(channel->write_end_, asio::buffer(data), as_values);
    taken = !error;
  }
  channel->waiting_ -= data.size();
  --channel->writes_;
  if (taken && end) channel->complete_ = true;
  if (taken && (end || (channel->ends_ && channel->writes_ == 0))) channel->shut();
  co_return taken;
}

void ByteChannel::end() {
  ends_ = true;
  if (writes_ == 0) shut();
}

void ByteChannel::shut() {
  ended_ = true;
  boost::system::error_code ignored;
  write_end_.shutdown(Socket::shutdown_send, ignored);
}

Task<std::string> ByteChannel::read(std::size_t most) {
  std::string bytes(most, '\0');
  const auto [error, size] = co_await read_end_.async_read_some(asio::buffer(bytes), as_values);
  bytes.resize(error ? 0 : size);
  co_return bytes;
}

void ByteChannel::close() {
  closed_ = true;
  boost::system::error_code ignored;
  // Those who wait at them return; the descriptors stay open until nobody uses them.
  read_end_.shutdown(Socket::shutdown_both, ignored);
  write_end_.cancel(ignored);
}

}  // namespace talaria::front::lines
