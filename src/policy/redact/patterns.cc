// The kinds of secrets that a regular expression describes. RE2, because it takes linear time; each
// pattern is compiled when a text first needs it.

#include <re2/re2.h>

#include <cstddef>
#include <string_view>
#include <utility>

#include "policy/redact/mask.h"
#include "policy/redact/rows.h"

namespace talaria {
namespace {

// Bytes, not characters: nothing here is about a character beyond ASCII.
RE2 compiled(const char* pattern) { return RE2(pattern, RE2::Latin1); }

std::string_view view(const re2::StringPiece& piece) { return {piece.data(), piece.size()}; }

// Replaces every match by what `replace` makes of its groups.
template <std::size_t kGroups, class Replace>
void replace_all(std::string& text, const RE2& pattern, const Replace& replace) {
  re2::StringPiece groups[kGroups + 1];
  std::string result;
  std::size_t at = 0;
  while (pattern.Match(text, at, text.size(), RE2::UNANCHORED, groups, kGroups + 1)) {
    const auto begin = static_cast<std::size_t>(groups[0].data() - text.data());
    result.append(text, at, begin - at);
    replace(result, groups);
    at = begin + groups[0].size();
  }
  if (at == 0) return;
  text = std::move(result.append(text, at));
}

}  // namespace

void mask_json_fields(std::string& text) {
  if (!text.contains('"')) return;
  static const RE2 kPattern = compiled(
      R"re((?i)("(?:api_?key|token|secret|password|access_token|refresh_token|auth_token|bearer)re"
      R"re(|secret_value|raw_secret|secret_input|key_material)")\s*:\s*"([^"]+)")re");
  replace_all<2>(text, kPattern, [](std::string& out, const re2::StringPiece* groups) {
    out.append(view(groups[1])).append(": \"").append(mask(view(groups[2]))).append("\"");
  });
}

// The token ends before a quote: that is the end of the header, in a command line.
void mask_authorization(std::string& text) {
  if (!text.contains(':')) return;
  static const RE2 kPattern = compiled(R"re((?i)(authorization:\s*bearer\s+)([^\s"']+))re");
  replace_all<2>(text, kPattern, [](std::string& out, const re2::StringPiece* groups) {
    out.append(view(groups[1])).append(mask(view(groups[2])));
  });
}

void mask_bot_tokens(std::string& text) {
  if (!text.contains(':')) return;
  static const RE2 kPattern = compiled(R"re(([0-9]{8,}):[-A-Za-z0-9_]{30,})re");
  replace_all<1>(text, kPattern, [](std::string& out, const re2::StringPiece* groups) {
    out.append(view(groups[1])).append(":***");
  });
}

void mask_private_keys(std::string& text) {
  if (!text.contains("PRIVATE KEY")) return;
  static const RE2 kPattern =
      compiled(R"re((?s)-----BEGIN[A-Z ]*PRIVATE KEY-----.*?-----END[A-Z ]*PRIVATE KEY-----)re");
  replace_all<0>(text, kPattern, [](std::string& out, const re2::StringPiece*) {
    out.append("[REDACTED PRIVATE KEY]");
  });
}

void mask_database_passwords(std::string& text) {
  if (!text.contains("://")) return;
  static const RE2 kPattern = compiled(
      R"re((?i)((?:postgres(?:ql)?|mysql|mongodb(?:\+srv)?|rediss?|amqps?)://[^:\s]*:)[^@\s]+@)re");
  replace_all<1>(text, kPattern, [](std::string& out, const re2::StringPiece* groups) {
    out.append(view(groups[1])).append("***@");
  });
}

void mask_web_tokens(std::string& text) {
  if (!text.contains("eyJ")) return;
  static const RE2 kPattern = compiled(R"re(eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_=-]{4,}){0,2})re");
  replace_all<0>(text, kPattern, [](std::string& out, const re2::StringPiece* groups) {
    out.append(mask(view(groups[0])));
  });
}

}  // namespace talaria
