// How a fuzz target reads its input: small choices from the front, the rest as bytes in pieces.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace talaria {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  // 0 when nothing is left.
  std::uint8_t choice() {
    if (rest_.empty()) return 0;
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }

  std::string_view piece(std::size_t most) {
    const std::string_view taken = rest_.substr(0, most);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// A property that must hold whatever the input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace talaria
