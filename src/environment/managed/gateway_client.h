// GatewayClient: the managed protocol (docs/reference/gateway-protocol.md), from a client's side:
// sandboxes at an HTTP gateway, and commands ("execs") in them. It serves any server that speaks
// it; what ours can do beyond it is used only where the server says so.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "base/result.h"
#include "base/secret.h"
#include "base/task.h"
#include "http/channel.h"

namespace talaria::environment::managed {

namespace json = boost::json;

struct GatewayAccess {
  std::string origin;  // "https://gateway.example"
  Secret token;
  std::chrono::milliseconds connect{1'000};      // of a poll and of a cancel
  std::chrono::milliseconds poll_read{5'000};    // for the answer to one
  std::chrono::milliseconds cancel_read{5'000};  // likewise
  std::string ca_file = {};                      // see TlsTrust
  // The token as it is now, for when it does not count any more: whoever keeps it may have renewed
  // it. Null: it stays as it is.
  std::function<Secret()> renewed = {};
};

struct GatewaySandbox {
  std::string id;
  std::optional<bool> isolated;       // nothing: it does not say
  std::vector<std::string> features;  // what it can do beyond the protocol
  std::string cwd;                    // where execs begin; empty: it does not say

  bool can(std::string_view feature) const;
};

// As a gateway says it, and back.
GatewaySandbox sandbox_of(std::string_view text);
json::object to_json(const GatewaySandbox& sandbox);

// How an exec is, or why nobody knows.
struct ExecReply {
  enum class Kind {
    goes_on,
    ended,
    refused,      // by the server, or it says what makes no sense: to ask again is no use
    unavailable,  // it is too busy, or just not there: it may know later
  };

  Kind kind = Kind::unavailable;
  std::string status = {};  // of one that ended: "completed", "failed", "cancelled", "timeout"
  std::string output = {};
  int returncode = 1;
  std::string words = {};   // else: what went wrong, for people
  bool no_sandbox = false;  // of one that was to be started: there is no such sandbox (404)
  bool may_run = false;     // of one that was to be started, and is not known to run
  bool silent = false;      // there was no answer at all
};

struct GatewayExec {
  std::string id;
  std::string command;
  std::chrono::milliseconds timeout{0};
  std::string cwd = {};                        // empty: the sandbox's
  std::optional<std::string> stdin_data = {};  // absent: /dev/null
  json::object more = {};                      // what only some servers know
};

class GatewayClient {
 public:
  using Wait = std::optional<std::chrono::milliseconds>;

  // An error: the origin is no address.
  static Result<std::shared_ptr<GatewayClient>> make(GatewayAccess access);

  // `key`: the same one again is the same sandbox.
  Task<Result<GatewaySandbox>> create(json::object body, std::string key);

  // What it is now, if the gateway can be asked. not_found: it is gone.
  Task<Result<GatewaySandbox>> look(std::string sandbox);

  // `wait`: how long the server may take to answer with its end; nothing: it would not understand.
  Task<ExecReply> start(std::string sandbox, GatewayExec exec, Wait wait);
  Task<ExecReply> poll(std::string sandbox, std::string exec, Wait wait);

  // Whatever the server says to it.
  Task<void> cancel(std::string sandbox, std::string exec);
  Task<Result<void>> terminate(std::string sandbox, bool snapshot);

  // Another route of the sandbox: "execs/ID/stdin".
  Task<Result<http::HttpResponse>> ask(std::string method, std::string sandbox, std::string route,
                                       std::string body, http::HttpChannel::Wish wish);

  const std::string& host() const { return origin_.host; }

  GatewayClient(GatewayAccess access, http::Url origin);

 private:
  http::HttpRequest request(std::string method, const std::string& path,
                            std::string body = {}) const;
  Task<Result<http::HttpResponse>> send(http::HttpRequest request, http::HttpChannel::Wish wish);

  GatewayAccess access_;
  http::Url origin_;
  http::HttpChannel channel_;
};

}  // namespace talaria::environment::managed
