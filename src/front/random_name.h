// Names that cannot be guessed.
#pragma once

#include <sys/random.h>
#include <sys/types.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace talaria::front {

// Letters and digits, 5 random bits each; at most 256 of them. (std::random_device asks the
// processor for its features each time, which takes long in a virtual machine.)
inline std::string random_name(std::size_t length = 16) {
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuv";
  std::string name(length, '\0');
  const ssize_t size = ::getrandom(name.data(), name.size(), 0);
  if (size != static_cast<ssize_t>(length)) throw std::runtime_error("getrandom failed");
  for (char& digit : name) digit = kDigits[static_cast<unsigned char>(digit) % kDigits.size()];
  return name;
}

}  // namespace talaria::front
