// Names that cannot be guessed.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <string_view>

namespace talaria::front {

// Letters and digits, 5 random bits each.
inline std::string random_name(std::size_t length = 16) {
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuv";
  std::random_device random;
  std::string name;
  for (std::size_t i = 0; i < length; ++i) name += kDigits[random() % kDigits.size()];
  return name;
}

}  // namespace talaria::front
