// How a chunked body ends, for who reads it with Beast, which asserts that it gets the shortest
// such end whole or in no more than two pieces.
#pragma once

#include <string_view>

namespace talaria {

// The rest is still to come; until then Beast is better not asked.
inline bool is_cut_last_chunk(std::string_view pending) {
  return pending == "0\r\n" || pending == "0\r\n\r";
}

}  // namespace talaria
