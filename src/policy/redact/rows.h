// One function per kind of secret. redact() calls them in this order: each sees what the one before
// left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace talaria::policy {

// The mask of a secret: "***", or of 18 characters and more the first 6, "..." and the last 4.
std::string mask(std::string_view secret);

// The letters that secrets consist of.
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_alphanumeric(char c) { return is_upper(c) || is_lower(c) || is_digit(c); }
constexpr bool is_name_byte(char c) {
  return is_alphanumeric(c) || c == '_' || c == '-' || c == '.';
}
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_space(char c) { return is_blank(c) || (c >= '\n' && c <= '\r'); }

// A text, and for each byte of it the byte of the original text that it stands for.
struct RewrittenText {
  std::string text;
  bool traced = false;
  std::vector<std::uint32_t> origins = {};  // by byte of `text`; empty unless traced
  bool shows_commands = false;              // see RedactOptions
};

RewrittenText trace(std::string text);

// One pass over a text, from the beginning to the end.
class Rewrite {
 public:
  explicit Rewrite(RewrittenText& text) : text_(text) {}

  // After the part that was replaced last. The new text stands for the first byte of the old.
  void replace(std::size_t begin, std::size_t end, std::string_view by);

  std::size_t replaced_until() const { return copied_; }

  // Call it at the end: changes the text.
  void finish();

 private:
  void copy_until(std::size_t end);

  RewrittenText& text_;
  std::string result_;
  std::vector<std::uint32_t> origins_;
  std::size_t copied_ = 0;
  bool changed_ = false;
};

// Keys of known makers by their prefix: sk-..., ghp_..., AKIA...
void mask_vendor_tokens(RewrittenText& text);

// NAME=value with a telling NAME in capitals.
void mask_assignments(RewrittenText& text);

// "name": "value" with a telling name.
void mask_json_fields(RewrittenText& text);

// Values by the names before them, in any case and style; see the .cc for the forms.
enum class NamedValues {
  all,
  random,  // only values that a generator made: in source code a name alone is not enough
};
void mask_named_values(RewrittenText& text, NamedValues which);

// Authorization: Bearer ..., X-Api-Key: ...
void mask_authorization(RewrittenText& text);

// _authToken=...
void mask_registry_tokens(RewrittenText& text);

// 123456789:..., the tokens of chat bots.
void mask_bot_tokens(RewrittenText& text);

void mask_private_keys(RewrittenText& text);

// scheme://user:password@... of databases
void mask_database_passwords(RewrittenText& text);

// The same in any URL, and a token in place of the user.
void mask_url_passwords(RewrittenText& text);

// <password>...</password>
void mask_elements(RewrittenText& text);

// login NAME password ..., as in .netrc
void mask_login_lines(RewrittenText& text);

// JSON web tokens: eyJ...
void mask_web_tokens(RewrittenText& text);

// The body of a form, if that is all there is: name=value&name=value
void mask_form(RewrittenText& text);

// +14155552671
void mask_phone_numbers(RewrittenText& text);

// mysql -p..., curl -u user:..., --password ...
void mask_command_passwords(RewrittenText& text);

}  // namespace talaria::policy
