// A request and a response, as the routes see them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "base/task.h"

namespace talaria::front::gateway {

struct ServedRequest {
  std::string method;
  std::string path;                            // as it was sent, without the query
  std::vector<std::string> segments;           // of the path, decoded
  std::map<std::string, std::string> query;    // decoded; of several the last
  std::map<std::string, std::string> headers;  // names in lower case; of several the last
  std::string body;
  std::string remote;   // address of the client, for the log
  int connection = -1;  // its socket, as long as the request is served; borrowed
  bool keep_alive = true;
  CancelToken gone = {};  // cancelled when the client has closed its side, until it is answered

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

// Sends a piece; false: the client no longer reads.
using ServedSink = std::function<Task<bool>(std::string)>;

// A WebSocket, as the handler of its request sees it. One reads, and one writes, at a time.
class ServedSocket {
 public:
  virtual ~ServedSocket() = default;
  // A text message; nothing: the client has closed it, or is gone.
  virtual Task<std::optional<std::string>> read() = 0;
  // False: the client is gone.
  virtual Task<bool> write(std::string message) = 0;
  // Says goodbye; read() returns nothing then.
  virtual void close() = 0;
};

struct ServedResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  // Instead of a body: sends pieces until it returns.
  std::function<Task<void>(ServedSink)> stream;
  // Instead of all that: the connection becomes a WebSocket of this subprotocol until it returns.
  std::function<Task<void>(ServedSocket&)> converse = nullptr;
  std::string subprotocol = {};
};

// What a handler says to the headers of a request: a refusal, or who answers when all of it is
// here.
struct Reception {
  std::optional<ServedResponse> refusal;
  std::function<Task<ServedResponse>(ServedRequest)> answer;
  bool authenticated = false;
};

std::string_view status_text(int status);

}  // namespace talaria::front::gateway
