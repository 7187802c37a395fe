// Paths that are names of open files: /dev/fd/3, <(…).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

// The number behind /dev/fd/; -1: it is no such path.
int descriptor_of(std::string_view path);

// What <(…) becomes.
inline bool is_process(std::string_view path) {
  return path.starts_with("/dev/fd/") && path.ends_with(kUnknownPiece);
}

inline SeenInput unknown_input() { return {.kind = SeenInput::Kind::pipe}; }

inline SeenInput text_input(const std::shared_ptr<const std::string>& text) {
  return {.kind = text ? SeenInput::Kind::document : SeenInput::Kind::pipe, .text = text};
}

}  // namespace talaria::guard
