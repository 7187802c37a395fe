// Random bytes of the kernel, for names that nobody else has and nobody can guess. Nothing is safe
// without them, so a failure throws.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace talaria::os {

void fill_random(std::span<std::byte> bytes);

// Two hexadecimal digits for each of so many random bytes.
std::string random_hex(std::size_t bytes);

// A UUID of version 4.
std::string random_uuid();

}  // namespace talaria::os
