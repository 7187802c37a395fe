// LineSudo: asks a JSON-lines client for the password of sudo. Each question is a line
// {"event":{"type":"sudo_requested","id","command",...}}; sudo.answer answers it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include <boost/json/object.hpp>

#include "api/asio_sudo.h"
#include "base/result.h"

namespace talaria::front::lines {

namespace json = boost::json;

class LineSudo {
 public:
  // `push` sends a line; false: not now.
  LineSudo(AsioRuntime& runtime, std::function<bool(std::string)> push)
      : runtime_(&runtime), push_(std::move(push)) {}

  // The session key "" stands for all.
  Result<json::object> subscribe(const std::string& session_key);
  Result<json::object> unsubscribe(const std::string& session_key);
  // Empty: there is none.
  Result<json::object> answer(const std::string& id, std::string_view password);

  void end();  // ends all subscriptions; questions that are open get no password

 private:
  struct Open {
    SudoReply reply;
    std::chrono::steady_clock::time_point until;
  };

  void ask(const SudoRequest& request, SudoReply reply);

  AsioRuntime* runtime_;
  std::function<bool(std::string)> push_;
  std::map<std::string, AsioSudo> subscribed_;  // by session key
  std::map<std::string, Open> open_;            // by id
};

}  // namespace talaria::front::lines
