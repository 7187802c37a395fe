// RequestReader: bytes of a connection in, requests out, one after the other. No I/O. What comes
// behind a request (pipelining) waits for its turn.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "front/gateway/http/served_message.h"

namespace talaria::front::gateway {

struct RequestLimits {
  std::size_t header_bytes = 16u << 10;
  std::size_t body_bytes = 32u << 20;
};

class RequestReader {
 public:
  enum class State {
    idle,      // nothing of a request is here
    partial,   // some of it
    complete,  // take() has it
    broken,    // status() and flaw() say what is wrong; nothing can follow
  };

  explicit RequestReader(RequestLimits limits);
  ~RequestReader();

  State feed(std::string_view bytes);
  State state() const { return state_; }
  // Of a partial one: its head is here, and it waits to be told to go on.
  bool wants_continue();
  bool head_is_here() const;
  std::size_t held_bytes() const;  // of a request that is not complete

  ServedRequest take();  // then feed() goes on, with what is here already
  int status() const { return status_; }
  const std::string& flaw() const { return flaw_; }

 private:
  struct Parser;
  State parse();
  State broken(int status, std::string flaw);
  State too_long();
  bool take_head();
  void begin();

  RequestLimits limits_;
  std::unique_ptr<Parser> parser_;
  std::string pending_;
  std::map<std::string, std::string> headers_;  // of the request that is being read
  State state_ = State::idle;
  std::size_t head_bytes_ = 0;  // of it that were read
  bool told_to_continue_ = false;
  int status_ = 400;
  std::string flaw_;
};

// "%2F" is "/"; false: it makes no sense.
bool decode_percent(std::string_view text, std::string& out);

}  // namespace talaria::front::gateway
