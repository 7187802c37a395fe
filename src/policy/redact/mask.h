// What stands in the place of a secret, and the letters secrets are made of.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace talaria::policy {

// "***", or of 18 characters and more the first 6, "..." and the last 4.
std::string mask(std::string_view secret);

constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_alphanumeric(char c) { return is_upper(c) || is_lower(c) || is_digit(c); }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_space(char c) { return is_blank(c) || (c >= '\n' && c <= '\r'); }

}  // namespace talaria::policy
