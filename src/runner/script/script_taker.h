// ScriptTaker: a controller that can reach the socket of a script takes the connections of the
// script itself, so that no call passes through the runner. It connects like the script, says a key
// that only it knows, and is passed each connection. The runner keeps a descriptor of each, so that
// one whose controller was killed stays open until the script ends.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/local/stream_protocol.hpp>

#include "base/event.h"
#include "base/task.h"
#include "os/unique_fd.h"

namespace talaria::runner {

class ScriptTaker : public std::enable_shared_from_this<ScriptTaker> {
 public:
  using Socket = asio::local::stream_protocol::socket;

  explicit ScriptTaker(std::string key) : key_(std::move(key)) {}

  const std::string& key() const { return key_; }

  // Of a process that is not of the script: closed unless it says the key.
  Task<void> serve(Socket socket);

  // A script may be quicker than the controller, which needs a moment to connect: waits until it
  // has, or decide() was called, because it will not.
  Task<void> decided();
  void decide() { decided_.set(); }

  // False: nobody takes it, and it is still the caller's.
  bool give(std::uint32_t number, Socket& connection);

  // The script has ended: so do its connections.
  void end();

 private:
  static Task<bool> says(Socket& socket, const std::string& key);

  std::string key_;
  std::shared_ptr<Socket> controller_;
  std::map<std::uint32_t, os::UniqueFd> given_;
  AsyncEvent decided_;
  bool ended_ = false;
};

}  // namespace talaria::runner
