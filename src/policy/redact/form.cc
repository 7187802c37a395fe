#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "policy/redact/mask.h"
#include "policy/redact/rows.h"

namespace talaria {
namespace {

constexpr auto kTelling = std::to_array<std::string_view>(
    {"access_token", "refresh_token", "id_token", "token", "api_key", "apikey", "client_secret",
     "password", "auth", "jwt", "session", "secret", "key", "code", "signature",
     "x-amz-signature"});

bool begins_name(char c) { return is_upper(c) || is_lower(c) || c == '_'; }
bool is_name(char c) { return is_alphanumeric(c) || c == '_' || c == '.' || c == '-'; }

bool is_pair(std::string_view pair) {
  const std::size_t equals = pair.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  return begins_name(pair[0]) && std::ranges::all_of(pair.substr(0, equals), is_name) &&
         std::ranges::none_of(pair, is_space);
}

bool is_telling(std::string_view name) {
  return std::ranges::find(kTelling, lower_case(name)) != kTelling.end();
}

}  // namespace

void mask_form(std::string& text) {
  if (!text.contains('&') || text.contains('\n')) return;
  std::string result;
  std::string_view rest = trim(text);
  for (;;) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    if (!is_pair(pair)) return;
    const std::string_view name = pair.substr(0, pair.find('='));
    result.append(is_telling(name) ? std::string(name) + "=***" : std::string(pair));
    if (end == rest.size()) break;
    result += '&';
    rest.remove_prefix(end + 1);
  }
  text = std::move(result);
}

}  // namespace talaria
