// Removes secrets from text for models: keys and tokens by their form, values by their names. A
// long secret keeps its first six and last four characters, so that two keys can be distinguished.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace talaria::policy {

struct RedactOptions {
  // Source code: a name does not make its value a secret, unless a generator made the value.
  bool code_file = false;
  bool settings_file = false;  // of a code_file, that it has settings: names count
  bool command_line = false;   // also passwords in options of programs
  // For a person who decides whether the text may run: masks only what is one word of plain
  // characters, so that no command is hidden.
  bool shows_commands = false;
};

// Of a file with this name: it has settings (.ini, .yaml, credentials), or else source code.
RedactOptions options_for_file(std::string_view path);

// `text` is valid UTF-8, and so is what it becomes. Takes time in proportion to the text, whatever
// is in it.
std::string redact(std::string_view text, const RedactOptions& options = {});

// The first `most` bytes of a command, as records and lists have it. `command` is any bytes.
std::string redact_command(std::string_view command, std::size_t most);

// Whether it is one word of plain characters, which no shell and no program takes for a command.
bool is_plain_secret(std::string_view value);

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
