// Bytes of a test as a file to write.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "environment/files.h"

namespace talaria::test {

inline environment::FileToWrite content(environment::TargetPath to, std::string bytes) {
  const auto rest = std::make_shared<std::string>(std::move(bytes));
  return {.to = std::move(to),
          .size = rest->size(),
          .next = [rest](std::size_t most) -> Result<std::string> {
            std::string piece = rest->substr(0, most);
            rest->erase(0, most);
            return piece;
          }};
}

// Different at every place, so that nothing can be left out or come twice.
inline std::string pattern(std::size_t size) {
  std::string bytes(size, 'x');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>((i * 2654435761u) >> 13);
  return bytes;
}

}  // namespace talaria::test
