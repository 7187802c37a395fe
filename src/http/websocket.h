// WebSocket: a connection that carries messages both ways, after a server has been asked for it by
// HTTP. Pings are answered, and sent when nothing comes; a peer that does not answer them is gone.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "http/tls_trust.h"
#include "http/url.h"

namespace talaria::http {

class WebSocket {
 public:
  struct Options {
    Url url;  // of http or https
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::vector<std::string> protocols = {};         // of which the server may choose one
    std::chrono::milliseconds connect{10'000};       // until there is a connection
    std::chrono::milliseconds answer{10'000};        // from then until it carries messages
    std::chrono::milliseconds silence{60'000};       // after which the peer counts as gone
    std::size_t most_bytes = std::size_t{16} << 20;  // of one message that comes
  };

  // Why there is none.
  struct Refusal {
    Error error{ErrorKind::unavailable, ""};
    unsigned status = 0;    // the server's answer instead, if there was one
    std::string body = {};  // of that, no more than its beginning
    std::string retry_after = {};
  };

  struct Message {
    std::string bytes;
    bool is_text = false;
  };

  // How the peer ended it.
  struct Closing {
    unsigned code = 0;  // 1000: all is well
    std::string reason;
  };

  static Task<std::expected<std::unique_ptr<WebSocket>, Refusal>> open(
      Options options, std::shared_ptr<TlsTrust> trust);

  ~WebSocket();
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  // The next message; nothing once the peer has closed it. One at a time, beside a send() and a
  // close(). `*this` must outlive all of them.
  Task<Result<std::optional<Message>>> read();
  Task<Result<void>> send(std::string_view bytes, bool is_text = false);
  // Closes it in both directions, within a short time limit.
  Task<void> close();
  // Ends what is under way with an error.
  void drop() noexcept;

  // The one the server has chosen, or "".
  const std::string& protocol() const { return protocol_; }
  const Closing& closing() const { return closing_; }

 private:
  struct Streams;
  WebSocket(std::unique_ptr<Streams> streams, std::shared_ptr<TlsTrust> trust, std::string host);

  std::unexpected<Error> broken(const std::string& what) const;

  std::shared_ptr<TlsTrust> trust_;
  std::unique_ptr<Streams> streams_;
  std::string host_;
  std::string protocol_;
  Closing closing_;
  std::size_t most_bytes_ = 0;
};

// Of ws, wss, http or https; the scheme is http or https then.
Result<Url> parse_websocket_url(std::string_view text);

}  // namespace talaria::http
