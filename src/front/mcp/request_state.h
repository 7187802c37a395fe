// RequestState: the state that a client sends back when it repeats a call after a person was asked
// (2026-07-28). It names the approval, and is valid only for that client, that call, and a limited
// time. It is signed, so that a client cannot change it.
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

  RequestState();  // with its own secret: states of other programs are invalid
  RequestState(std::string secret, Now now) : secret_(std::move(secret)), now_(std::move(now)) {}

  std::string make(std::string_view principal, std::string_view tool, const json::object& arguments,
                   std::string_view question) const;

  struct Asked {
    std::string question;
    std::chrono::milliseconds age{0};  // since the client was asked
  };
  // Nothing if the state is not for this client and call, invalid, or too old.
  std::optional<Asked> asked_in(std::string_view state, std::string_view principal,
                                std::string_view tool, const json::object& arguments) const;

 private:
  std::string seal(std::string_view principal, std::string_view tool, const json::object& arguments,
                   std::string_view question, std::string_view made) const;

  std::string secret_;
  Now now_;
};

}  // namespace talaria::front::mcp
