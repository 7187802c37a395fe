// One function per kind of secret. redact() calls them in this order, which counts: what one leaves
// the next one sees.
#pragma once

#include "policy/redact/rewrite.h"

namespace talaria::policy {

// Keys of known makers by their prefix: sk-..., ghp_..., AKIA...
void mask_vendor_tokens(RewrittenText& text);

// NAME=value with a telling NAME in capitals.
void mask_assignments(RewrittenText& text);

// "name": "value" with a telling name.
void mask_json_fields(RewrittenText& text);

// Authorization: Bearer ..., X-Api-Key: ...
void mask_authorization(RewrittenText& text);

// _authToken=...
void mask_registry_tokens(RewrittenText& text);

// 123456789:..., the tokens of chat bots.
void mask_bot_tokens(RewrittenText& text);

void mask_private_keys(RewrittenText& text);

// scheme://user:password@...
void mask_database_passwords(RewrittenText& text);

// JSON web tokens: eyJ...
void mask_web_tokens(RewrittenText& text);

// The body of a form, if that is all there is: name=value&name=value
void mask_form(RewrittenText& text);

// +14155552671
void mask_phone_numbers(RewrittenText& text);

// mysql -p..., curl -u user:..., --password ..., scheme://user:...@
void mask_command_passwords(RewrittenText& text);

}  // namespace talaria::policy
