// Removes secrets from text for models: keys and tokens by their form, values by their names. A
// long secret keeps its first six and last four characters, so that two keys can be distinguished.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace talaria::policy {

struct RedactOptions {
  bool code_file = false;     // source code: NAME = value and "name": "value" are not secrets
  bool command_line = false;  // also passwords in options of programs
};

// `text` is valid UTF-8, and so is what it becomes. Takes time in proportion to the text, whatever
// is in it.
std::string redact(std::string_view text, const RedactOptions& options = {});

// Whether there is a key or token of a known maker in it.
bool has_vendor_token(std::string_view text);

// A piece of a longer text, with some of what is around it.
struct PartOfText {
  std::string_view before;
  std::string_view text;
  std::string_view after;
};

// How much around a piece is enough to recognise the secrets people have: a private key, a long web
// token.
inline constexpr std::size_t kSecretBytes = 16u << 10;

// The piece alone. A secret that begins before it is removed; one that ends after it is masked as a
// whole. So the pieces of a text together show no more than the redacted text.
std::string redact(const PartOfText& part, const RedactOptions& options = {});

}  // namespace talaria::policy
