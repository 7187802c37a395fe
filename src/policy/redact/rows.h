// One function per kind of secret. redact() calls them in this order, which counts: what one leaves
// the next one sees.
#pragma once

#include <string>

namespace talaria {

// Keys of known makers by their prefix: sk-..., ghp_..., AKIA...
void mask_vendor_tokens(std::string& text);

// NAME=value with a telling NAME in capitals.
void mask_assignments(std::string& text);

// "name": "value" with a telling name.
void mask_json_fields(std::string& text);

// Authorization: Bearer ...
void mask_authorization(std::string& text);

// 123456789:..., the tokens of chat bots.
void mask_bot_tokens(std::string& text);

void mask_private_keys(std::string& text);

// scheme://user:password@...
void mask_database_passwords(std::string& text);

// JSON web tokens: eyJ...
void mask_web_tokens(std::string& text);

// The body of a form, if that is all there is: name=value&name=value
void mask_form(std::string& text);

// +14155552671
void mask_phone_numbers(std::string& text);

}  // namespace talaria
