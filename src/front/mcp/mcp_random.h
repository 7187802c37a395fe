// Names that cannot be guessed.
#pragma once

#include <string>

namespace talaria::front::mcp {

// 80 random bits, as letters and digits.
std::string random_name();

}  // namespace talaria::front::mcp
