// Numbers in text that somebody else wrote.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace talaria {

// Nothing unless all of `text` is a number of that type.
template <class Number>
std::optional<Number> to_number(std::string_view text) {
  Number number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool valid = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return valid ? std::optional(number) : std::nullopt;
}

}  // namespace talaria
