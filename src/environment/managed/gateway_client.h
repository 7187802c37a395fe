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
#include "environment/target_config.h"
#include "http/channel.h"

namespace talaria::environment::managed {

namespace json = boost::json;

// Reads the user's token. It is read again when the gateway refuses the one we have, because
// another program may have renewed it.
using ReadToken = std::function<Secret()>;

struct GatewaySandbox {
  std::string id;
  std::optional<bool> isolated;       // nothing: it does not say
  std::vector<std::string> features;  // what it can do beyond the protocol
  std::string cwd;                    // where execs begin; empty: it does not say

  bool can(std::string_view feature) const;
};

// From the JSON of a gateway, and back.
GatewaySandbox sandbox_of(std::string_view text);
json::object to_json(const GatewaySandbox& sandbox);

// The state of an exec, or why it is unknown.
struct ExecReply {
  enum class Kind {
    running,
    ended,
    refused,      // by the server, or its answer is invalid: do not ask again
    unavailable,  // it is too busy or cannot be reached: ask again later
  };

  Kind kind = Kind::unavailable;
  std::string status = {};  // of one that ended: "completed", "failed", "cancelled", "timeout"
  std::string output = {};
  int returncode = 1;
  std::string message = {};  // else: why
  bool no_sandbox = false;   // of a start: there is no such sandbox (404)
  bool may_run = false;      // of a start: it is unknown whether it runs
  bool silent = false;       // there was no answer
};

struct GatewayExec {
  std::string id;
  std::string command;
  std::chrono::milliseconds timeout{0};
  std::string cwd = {};                        // empty: the sandbox's
  std::optional<std::string> stdin_data = {};  // absent: /dev/null
  json::object more = {};                      // extensions of some servers
};

class GatewayClient {
 public:
  using Wait = std::optional<std::chrono::milliseconds>;

  // An error: the origin is not a valid URL.
  static Result<std::shared_ptr<GatewayClient>> make(ManagedConfig config, ReadToken read_token);

  // `key`: a repeated one returns the same sandbox.
  Task<Result<GatewaySandbox>> create(json::object body, std::string key);

  // Its current state, if the gateway supports that. not_found: it is gone.
  Task<Result<GatewaySandbox>> look(std::string sandbox);

  // `wait`: how long the server may wait for its end; nothing: the server does not support that.
  Task<ExecReply> start(std::string sandbox, GatewayExec exec, Wait wait);
  Task<ExecReply> poll(std::string sandbox, std::string exec, Wait wait);

  // Ignores the answer.
  Task<void> cancel(std::string sandbox, std::string exec);
  Task<Result<void>> terminate(std::string sandbox, bool snapshot);

  // Another route of the sandbox: "execs/ID/stdin".
  Task<Result<http::HttpResponse>> ask(std::string method, std::string sandbox, std::string route,
                                       std::string body, http::HttpChannel::Options options);

  const std::string& host() const { return origin_.host; }
  // Whose sandboxes they are: the gateway and the user. The token cannot be read from it.
  const std::string& identity() const { return identity_; }

  GatewayClient(ManagedConfig config, ReadToken read_token, http::Url origin);

 private:
  http::HttpRequest request(std::string method, const std::string& path,
                            std::string body = {}) const;
  Task<Result<http::HttpResponse>> send(http::HttpRequest request,
                                        http::HttpChannel::Options options);

  ManagedConfig config_;
  ReadToken read_token_;
  Secret token_;
  std::string identity_;
  http::Url origin_;
  http::HttpChannel channel_;
};

}  // namespace talaria::environment::managed
