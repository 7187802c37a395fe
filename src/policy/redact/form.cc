#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "policy/redact/rows.h"

namespace talaria::policy {
namespace {

constexpr auto kSecretNames = std::to_array<std::string_view>(
    {"access_token", "refresh_token", "id_token", "token", "api_key", "apikey", "client_secret",
     "password", "auth", "jwt", "session", "secret", "key", "code", "signature",
     "x-amz-signature"});

bool begins_name(char c) { return is_upper(c) || is_lower(c) || c == '_'; }

bool is_pair(std::string_view pair) {
  const std::size_t equals = pair.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  return begins_name(pair[0]) && std::ranges::all_of(pair.substr(0, equals), is_name_byte) &&
         std::ranges::none_of(pair, is_space);
}

bool is_telling(std::string_view name) {
  return std::ranges::find(kSecretNames, lower_case(name)) != kSecretNames.end();
}

}  // namespace

// Nothing is replaced before all of it turned out to be one.
void mask_form(RewrittenText& whole) {
  const std::string_view text = whole.text;
  if (!text.contains('&') || text.contains('\n')) return;
  const std::string_view form = trim(text);
  const auto begin = static_cast<std::size_t>(form.data() - text.data());
  Rewrite rewrite(whole);
  if (begin > 0) rewrite.replace(0, begin, "");
  std::string_view rest = form;
  for (;;) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    if (!is_pair(pair)) return;
    const auto at = static_cast<std::size_t>(pair.data() - text.data());
    const std::size_t equals = pair.find('=');
    if (is_telling(pair.substr(0, equals))) {
      rewrite.replace(at + equals + 1, at + pair.size(), "***");
    }
    if (pair.size() == rest.size()) break;
    rest.remove_prefix(pair.size() + 1);
  }
  const std::size_t end = begin + form.size();
  if (end < text.size()) rewrite.replace(end, text.size(), "");
  rewrite.finish();
}

}  // namespace talaria::policy
