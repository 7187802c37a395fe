// The kinds of secrets that a regular expression describes. RE2, because it takes linear time; each
// pattern is compiled when a text first needs it.

#include <re2/re2.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/base64.h"
#include "base/secret_name.h"
#include "base/text.h"
#include "policy/redact/rows.h"
#include "policy/redact/secret_values.h"

namespace talaria::policy {
namespace {

// Bytes, not characters: nothing here is about a character beyond ASCII. Never destroyed, because
// another thread may use it until the process ends.
const RE2& compiled(const char* pattern) { return *new RE2(pattern, RE2::Latin1); }

std::string_view view(const re2::StringPiece& piece) { return {piece.data(), piece.size()}; }

// Replaces the last group of every match by what `replace` makes of it.
template <std::size_t kGroups, class Replace>
void replace_all(RewrittenText& whole, const RE2& pattern, const Replace& replace) {
  const std::string_view text = whole.text;
  const re2::StringPiece piece(text.data(), text.size());
  re2::StringPiece groups[kGroups + 1];
  Rewrite rewrite(whole);
  std::size_t at = 0;
  while (pattern.Match(piece, at, text.size(), RE2::UNANCHORED, groups, kGroups + 1)) {
    const std::string_view secret = view(groups[kGroups]);
    const auto begin = static_cast<std::size_t>(secret.data() - text.data());
    rewrite.replace(begin, begin + secret.size(), replace(secret));
    at = static_cast<std::size_t>(groups[0].data() + groups[0].size() - text.data());
  }
  rewrite.finish();
}

// Each program has its own option; the value ends where a shell's word ends.
void mask_short_options(RewrittenText& text) {
  if (!text.text.contains("-p") && !text.text.contains("-a") && !text.text.contains("pass:"))
    return;
  static const RE2& kOptions = compiled(
      R"re((?:sshpass\s+-p\s*|(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^|;&\n]*?\s-p)re"
      R"re(|(?:docker|podman|az|helm)\b[^|;&\n]*?\slogin\b[^|;&\n]*?\s-p\s+)re"
      R"re(|redis-cli\b[^|;&\n]*?\s-a\s+|\bpass:))re"
      R"re(("[^"\n]*"|'[^'\n]*'|[^\s"';|&]+))re");
  replace_all<1>(text, kOptions, [](std::string_view) { return std::string("***"); });
}

void mask_long_options(RewrittenText& text) {
  if (!text.text.contains('-')) return;
  static const RE2& kLongOptions = compiled(
      R"re((\s--?[A-Za-z][A-Za-z0-9-]*[= ](?:"[^"\n]*"|'[^'\n]*'|[^\s"';|&-][^\s"';|&]*)))re");
  replace_all<1>(text, kLongOptions, [](std::string_view option) {
    const std::size_t end = option.find_first_of("= ", 1);
    const SecretName kind = secret_name(option.substr(1, end - 1));
    if (kind <= SecretName::key || is_placeholder(option.substr(end + 1))) {
      return std::string(option);
    }
    return std::string(option.substr(0, end + 1)) + "***";
  });
}

void mask_curl_users(RewrittenText& text) {
  if (!text.text.contains("curl")) return;
  static const RE2& kUsers = compiled(
      R"re(\bcurl\b[^|;&\n]*?\s(?:-u|--user|--proxy-user)[= ]?["']?[^\s:"']*:([^\s"']+))re");
  replace_all<1>(text, kUsers, [](std::string_view) { return std::string("***"); });
}

}  // namespace

// Also the blanks between a name and its value: the value is what stands between the last quotes.
// JSON in a string of JSON has a backslash before each quote.
void mask_json_fields(RewrittenText& text) {
  if (!text.text.contains('"')) return;
  static const RE2& kPattern = compiled(
      R"re((?i)"(?:api_?key|x-api-key|token|secret|password|passwd|passphrase|access_token)re"
      R"re(|refresh_token|auth_token|id_token|session_token|bearer|secret_value|raw_secret)re"
      R"re(|secret_input|key_material|client_secret|secret_key|secret_access_key|private_key)re"
      R"re()\\?"(\s*:\s*(?:"(?:[^"\\]|\\.)+"|\\"(?:[^"\\]|\\[^"])+\\")))re");
  replace_all<1>(text, kPattern, [](std::string_view field) {
    const std::size_t value = field.find('"') + 1;
    const std::string quote = field[value - 2] == '\\' ? "\\\"" : "\"";
    const std::string_view secret = field.substr(value, field.size() - value - quote.size());
    return ": " + quote + mask(secret) + quote;
  });
}

// The token ends before a quote: that is the end of the header, in a command line. A name and a
// password in base64 are known by the colon between them.
void mask_authorization(RewrittenText& text) {
  if (!text.text.contains(':')) return;
  static const RE2& kTokens = compiled(
      R"re((?i)(?:authorization:\s*(?:bearer|token|bot|apikey|api-key)\s+)re"
      R"re(|(?:x-(?:[a-z-]+-)?(?:api-key|token)|private-token|job-token|api-key|apikey):\s*))re"
      R"re(([^\s"']+))re");
  replace_all<1>(text, kTokens, [](std::string_view token) { return mask(token); });
  static const RE2& kBasic =
      compiled(R"re((?i)authorization:\s*basic\s+([A-Za-z0-9+/_-]{4,}={0,2}))re");
  replace_all<1>(text, kBasic, [](std::string_view pair) {
    const auto decoded = base64_decode(pair);
    return decoded && decoded->contains(':') ? "***" : std::string(pair);
  });
}

// As npm writes it into its file.
void mask_registry_tokens(RewrittenText& text) {
  if (!text.text.contains("_authToken")) return;
  static const RE2& kPattern = compiled(R"re(_authToken\s*=\s*"?([^\s"]+))re");
  replace_all<1>(text, kPattern, [](std::string_view token) { return mask(token); });
}

void mask_bot_tokens(RewrittenText& text) {
  if (!text.text.contains(':')) return;
  static const RE2& kPattern = compiled(R"re([0-9]{8,}(:[-A-Za-z0-9_]{30,}))re");
  replace_all<1>(text, kPattern, [](std::string_view) { return std::string(":***"); });
}

// One whose end is not there yet is known by its lines.
void mask_private_keys(RewrittenText& text) {
  if (!text.text.contains("PRIVATE KEY")) return;
  static const RE2& kPattern =
      compiled(R"re((?s)-----BEGIN[A-Z ]*PRIVATE KEY(?: BLOCK)?-----)re"
               R"re((?:.*?-----END[A-Z ]*PRIVATE KEY(?: BLOCK)?-----)re"
               R"re(|(?:\s+[A-Za-z0-9+/=]{24,})+(?:\s+[A-Za-z0-9+/=]*\z)?))re");
  replace_all<0>(text, kPattern,
                 [](std::string_view) { return std::string("[REDACTED PRIVATE KEY]"); });
}

void mask_database_passwords(RewrittenText& text) {
  if (!text.text.contains("://")) return;
  static const RE2& kPattern = compiled(
      R"re((?i)(?:postgres(?:ql)?|mysql|mariadb|mssql|sqlserver|mongodb(?:\+srv)?|rediss?|amqps?))re"
      R"re(://[^:\s]*:([^@\s]+)@)re");
  replace_all<1>(text, kPattern, [](std::string_view) { return std::string("***"); });
}

// A name alone is a name, unless it is long and made by a generator.
void mask_url_passwords(RewrittenText& text) {
  if (!text.text.contains("://")) return;
  static const RE2& kPasswords =
      compiled(R"re((?i)\b[a-z][-+.a-z0-9]*://[^\s:/@"'<>]*:([^\s@"'/]+)@)re");
  replace_all<1>(text, kPasswords, [](std::string_view password) {
    return std::string(is_placeholder(password) ? password : "***");
  });
  static const RE2& kTokens = compiled(R"re((?i)\bhttps?://([A-Za-z0-9_-]{20,})@)re");
  replace_all<1>(text, kTokens, [](std::string_view user) {
    return is_strong(user) ? mask(user) : std::string(user);
  });
}

void mask_elements(RewrittenText& text) {
  if (!text.text.contains("</")) return;
  static const RE2& kPattern =
      compiled(R"re((?i)<(?:[a-z_.:-]*(?:password|passwd|passphrase|secret|api-?key|token))>)re"
               R"re(([^<>\s]+)</)re");
  replace_all<1>(text, kPattern, [](std::string_view value) {
    return is_placeholder(value) ? std::string(value) : mask(value);
  });
}

// And what a database is given.
void mask_login_lines(RewrittenText& text) {
  const std::string lower = lower_case(text.text);
  if (!lower.contains("password") && !lower.contains("identified")) return;
  static const RE2& kPattern =
      compiled(R"re((?i)(?:\blogin\s+\S+\s+password\s+|\bidentified\s+by\s+'|\bpassword\s+'))re"
               R"re(([^\s']+))re");
  replace_all<1>(text, kPattern, [](std::string_view value) {
    return is_placeholder(value) ? std::string(value) : mask(value);
  });
}

void mask_web_tokens(RewrittenText& text) {
  if (!text.text.contains("eyJ")) return;
  static const RE2& kPattern =
      compiled(R"re(eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_=-]{4,}){0,2})re");
  replace_all<0>(text, kPattern, [](std::string_view token) { return mask(token); });
}

void mask_command_passwords(RewrittenText& text) {
  mask_short_options(text);
  mask_long_options(text);
  mask_curl_users(text);
}

}  // namespace talaria::policy
