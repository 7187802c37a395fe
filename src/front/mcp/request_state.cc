#include "front/mcp/request_state.h"

#include <charconv>
#include <cstdint>
#include <random>
#include <utility>

#include "base/sha256.h"
#include "json/json_text.h"

namespace talaria::front::mcp {
namespace {

constexpr std::chrono::minutes kLife{15};

std::string new_secret() {
  std::random_device random;
  std::string secret;
  for (int i = 0; i < 8; ++i) secret += std::to_string(random()) + ".";
  return secret;
}

std::int64_t in_milliseconds(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

// Removes the text up to the next dot.
std::string_view next_part(std::string_view& text) {
  const std::string_view part = text.substr(0, text.find('.'));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

}  // namespace

RequestState::RequestState()
    : RequestState(new_secret(), [] { return std::chrono::system_clock::now(); }) {}

std::string RequestState::seal(std::string_view principal, std::string_view tool,
                               const json::object& arguments, std::string_view question,
                               std::string_view made) const {
  // As JSON, so that the parts are unambiguous.
  return hmac_sha256_hex(
      secret_,
      to_line(json::array{principal, tool, sha256_hex(to_line(arguments)), question, made}));
}

std::string RequestState::make(std::string_view principal, std::string_view tool,
                               const json::object& arguments, std::string_view question) const {
  const std::string made = std::to_string(in_milliseconds(now_()));
  return std::string(question) + "." + made + "." +
         seal(principal, tool, arguments, question, made);
}

std::optional<RequestState::Asked> RequestState::asked_in(std::string_view state,
                                                          std::string_view principal,
                                                          std::string_view tool,
                                                          const json::object& arguments) const {
  const std::string_view question = next_part(state);
  const std::string_view made = next_part(state);
  if (!equal_in_constant_time(state, seal(principal, tool, arguments, question, made))) {
    return std::nullopt;
  }
  std::int64_t when = 0;
  std::from_chars(made.data(), made.data() + made.size(), when);
  const std::chrono::milliseconds age(in_milliseconds(now_()) - when);
  if (age > kLife) return std::nullopt;
  return Asked{.question = std::string(question), .age = age};
}

}  // namespace talaria::front::mcp
