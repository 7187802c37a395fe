// The ID of a process, and numbers, as several commands have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "front/cli/command_info.h"

namespace talaria::front::cli {

inline Argument process_argument(bool many = false) {
  return {.name = "ID",
          .meaning = "Which process, as in talaria ps",
          .many = many,
          .offer = Offer::processes};
}

// A whole number; nothing if it was not given.
Result<std::optional<std::uint64_t>> read_count(const Given& given, std::string_view name);

}  // namespace talaria::front::cli
