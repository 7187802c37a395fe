// Numbers for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace talaria {

// 1234567 as "1,234,567".
inline std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

}  // namespace talaria
