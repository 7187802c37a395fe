#include "modal/jwt.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include <boost/json/value.hpp>

#include "base/base64.h"
#include "json/json_text.h"

namespace talaria::modal {
namespace {

constexpr std::chrono::minutes kUsualLife{20};

// base64url without padding (RFC 7515) as base64 has it.
std::string as_base64(std::string_view text) {
  std::string plain(text);
  std::ranges::replace(plain, '-', '+');
  std::ranges::replace(plain, '_', '/');
  while (plain.size() % 4 != 0) plain += '=';
  return plain;
}

}  // namespace

std::optional<UnixTime> jwt_expiry(std::string_view token) {
  const std::size_t begin = token.find('.');
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = token.find('.', begin + 1);
  if (end == std::string_view::npos) return std::nullopt;
  const auto payload = base64_decode(as_base64(token.substr(begin + 1, end - begin - 1)));
  if (!payload) return std::nullopt;
  const Result<json::object> claims = parse_object(*payload, "a token");
  if (!claims) return std::nullopt;
  const json::value* exp = claims->if_contains("exp");
  if (exp == nullptr || !exp->is_number()) return std::nullopt;
  boost::system::error_code wrong;
  const auto seconds = exp->to_number<std::int64_t>(wrong);
  if (wrong) return std::nullopt;
  return UnixTime(std::chrono::seconds(seconds));
}

UnixTime renewal_time(std::string_view token, UnixTime now) {
  const UnixTime expiry = jwt_expiry(token).value_or(now + kUsualLife);
  return now + std::max(expiry - now, std::chrono::seconds(0)) / 2;
}

}  // namespace talaria::modal
