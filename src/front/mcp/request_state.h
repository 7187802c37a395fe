// RequestState: what a client gets to bring back when it calls again because a person had to be
// asked (2026-07-28). It names the question, and counts only for that client, that very call and a
// while: whoever changes it, or brings it with another call, has nothing.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace talaria::front::mcp {

namespace json = boost::json;

class RequestState {
 public:
  using Now = std::function<std::chrono::system_clock::time_point()>;

  RequestState();  // with a secret of its own: what another program made means nothing here
  RequestState(std::string secret, Now now) : secret_(std::move(secret)), now_(std::move(now)) {}

  std::string make(std::string_view principal, std::string_view tool, const json::object& arguments,
                   std::string_view question) const;

  // The question; nothing if it is not for this client and call, not ours, or too old.
  std::optional<std::string> question_in(std::string_view state, std::string_view principal,
                                         std::string_view tool,
                                         const json::object& arguments) const;

 private:
  std::string seal(std::string_view principal, std::string_view tool, const json::object& arguments,
                   std::string_view question, std::string_view expires) const;

  std::string secret_;
  Now now_;
};

}  // namespace talaria::front::mcp
