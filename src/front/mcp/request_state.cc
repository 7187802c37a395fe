#include "front/mcp/request_state.h"

#include <charconv>
#include <cstdint>
#include <random>
#include <utility>

#include "base/sha256.h"
#include "front/unix_seconds.h"
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
                               std::string_view expires) const {
  // As JSON, so that the parts are unambiguous.
  return hmac_sha256_hex(
      secret_,
      to_line(json::array{principal, tool, sha256_hex(to_line(arguments)), question, expires}));
}

std::string RequestState::make(std::string_view principal, std::string_view tool,
                               const json::object& arguments, std::string_view question) const {
  const std::string expires = std::to_string(unix_seconds(now_() + kLife));
  return std::string(question) + "." + expires + "." +
         seal(principal, tool, arguments, question, expires);
}

std::optional<std::string> RequestState::question_in(std::string_view state,
                                                     std::string_view principal,
                                                     std::string_view tool,
                                                     const json::object& arguments) const {
  const std::string_view question = next_part(state);
  const std::string_view expires = next_part(state);
  if (!equal_in_constant_time(state, seal(principal, tool, arguments, question, expires))) {
    return std::nullopt;
  }
  std::int64_t until = 0;
  std::from_chars(expires.data(), expires.data() + expires.size(), until);
  if (unix_seconds(now_()) > until) return std::nullopt;
  return std::string(question);
}

}  // namespace talaria::front::mcp
