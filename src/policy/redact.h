// Secrets taken out of text that a model is shown: keys and tokens by their shape, values by the
// name they are given. What is masked keeps its first six and last four characters if it is long
// enough for that to tell nothing, so that two keys can still be told apart.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace talaria::policy {

struct RedactOptions {
  bool code_file = false;     // source code: NAME = value and "name": "value" are no secrets there
  bool command_line = false;  // also the passwords that programs are told by their options
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

// The piece alone. A secret that begins before it is not in it at all, one that goes on behind it
// is masked as a whole: pieces one after the other show no more than the whole text would.
std::string redact(const PartOfText& part, const RedactOptions& options = {});

}  // namespace talaria::policy
