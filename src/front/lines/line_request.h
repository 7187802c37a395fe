// LineRequest: a request of a JSON-lines client, from its line to its answer.
#pragma once

#include <talaria/cancel.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/json/object.hpp>

#include "front/lines/byte_channel.h"
#include "front/lines/part_stream.h"

namespace talaria::front::lines {

class LineRequest {
 public:
  LineRequest(std::string key, PartStream::Client client)
      : key_(std::move(key)), client_(std::move(client)) {}
  LineRequest(const LineRequest&) = delete;
  LineRequest& operator=(const LineRequest&) = delete;

  const std::string& key() const { return key_; }  // its id as JSON text
  const Cancel& cancel() const { return cancel_; }
  void give_up();  // cancels it

  // A part that does not count as output.
  void send(const json::object& part) const { client_.send(part); }

  // The stream of its output; from then on window and client hold it up.
  PartStream& open_parts(PartEncoding encoding, std::uint64_t window);
  // All output was sent, unless it is given up. Call it when no more comes.
  Task<void> parts_sent();
  void allow(std::uint64_t bytes);
  void resume();  // the client reads again

  // The input that the client gives it meanwhile; null: it takes none.
  const std::shared_ptr<ByteChannel>& input() const { return input_; }
  void set_input(std::shared_ptr<ByteChannel> input) { input_ = std::move(input); }
  void close_input();
  // The client sends nothing more: its input is complete, and nothing holds up the output but that
  // the client does not read.
  void end_of_client();

 private:
  std::string key_;
  PartStream::Client client_;
  Cancel cancel_;
  std::unique_ptr<PartStream> parts_;
  std::uint64_t allowed_ = 0;  // before there were parts
  std::shared_ptr<ByteChannel> input_;
};

}  // namespace talaria::front::lines
