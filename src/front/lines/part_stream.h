// PartStream: the output of a request on its way to the client, as parts:
//
//   {"id":7,"part":{"stream":"stdout","data":"text"}}     or "data64" in place of "data"
//
// The client allows a number of bytes and gives more with stream.more. Beyond that, and while the
// client does not read at all, parts wait here and the source is held up (flow()).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/event.h"
#include "base/output_flow.h"
#include "base/task.h"

namespace talaria::front::lines {

namespace json = boost::json;

// How bytes become JSON: as text, in which what is not UTF-8 becomes U+FFFD; as base64; or as text
// where a piece is UTF-8.
enum class PartEncoding { text, base64, automatic };

// What a client may say of them.
inline constexpr std::string_view kPartEncodings = "text base64 auto";

// Adds NAME or NAME64 to a result.
void add_bytes(json::object& object, std::string_view name, std::string_view bytes,
               PartEncoding encoding);

class PartStream {
 public:
  struct Client {
    std::function<void(const json::object& part)> send;
    std::function<bool()> reads;  // false: does not read now
  };

  PartStream(Client client, PartEncoding encoding, std::uint64_t window)
      : client_(std::move(client)), encoding_(encoding), room_(window) {}
  PartStream(const PartStream&) = delete;
  PartStream& operator=(const PartStream&) = delete;

  // `from`: the position of the first byte, for streams that have positions.
  void add(std::string_view stream, std::string_view bytes,
           std::optional<std::uint64_t> from = std::nullopt);
  // No more comes: the beginning of a character that was held back is shown.
  void end();
  void allow(std::uint64_t bytes);   // the client can take so many more
  void resume() { send_waiting(); }  // the client reads again
  // The client may be gone: from now on, what has no room is dropped.
  void give_up();

  // Everything was sent, or dropped.
  Task<void> sent();
  const std::shared_ptr<OutputFlow>& flow() const { return flow_; }

 private:
  struct Piece {
    std::string stream;
    std::string bytes;
    std::optional<std::uint64_t> from;
  };

  void send_waiting();
  // How much of the piece goes out now.
  std::size_t next_size(const Piece& piece) const;

  Client client_;
  PartEncoding encoding_;
  std::uint64_t room_;
  std::deque<Piece> waiting_;
  std::map<std::string, Piece, std::less<>> cut_;  // a character that is not there to its end
  std::shared_ptr<OutputFlow> flow_ = std::make_shared<OutputFlow>();
  AsyncEvent changed_;
  bool given_up_ = false;
};

}  // namespace talaria::front::lines
