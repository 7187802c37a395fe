// RequestReader: parses the bytes of a connection into requests. No I/O. What follows a request
// (pipelining) is parsed after take().
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
    idle,      // no bytes of a request yet
    partial,   // some of it
    complete,  // take() has it
    broken,    // status() and flaw() describe the error; nothing can follow
  };

  explicit RequestReader(RequestLimits limits);
  ~RequestReader();

  State feed(std::string_view bytes);
  State state() const { return state_; }
  // Whether a partial request waits for "100 Continue".
  bool wants_continue();
  bool head_is_here() const;
  std::size_t held_bytes() const;  // of a request that is not complete

  ServedRequest head() const;  // the request without its body; only if head_is_here()
  ServedRequest take();        // then continues with the bytes after it
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
  bool sent_continue_ = false;
  int status_ = 400;
  std::string flaw_;
};

// "%2F" becomes "/"; false: invalid.
bool decode_percent(std::string_view text, std::string& out);
// "a=1&b=2", decoded; of several values of one name the last. False: invalid.
bool read_query(std::string_view text, std::map<std::string, std::string>& query);

}  // namespace talaria::front::gateway
