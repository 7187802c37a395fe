// HMAC with SHA-256 (RFC 2104): a seal on a text that only who knows the key can make.
#pragma once

#include <string>
#include <string_view>

#include "base/sha256.h"

namespace talaria {

// In lower-case hexadecimal.
std::string hmac_sha256_hex(std::string_view key, std::string_view text);

// Takes as long for texts that differ early as for those that differ late.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace talaria
