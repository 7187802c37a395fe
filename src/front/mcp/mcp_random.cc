#include "front/mcp/mcp_random.h"

#include <random>
#include <string_view>

namespace talaria::front::mcp {

std::string random_name() {
  std::random_device random;
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuv";
  std::string name;
  for (int i = 0; i < 16; ++i) name += kDigits[random() % kDigits.size()];
  return name;
}

}  // namespace talaria::front::mcp
