// Syntax checks that need only the text: JSON and YAML. The messages are those of Python, which
// models know: "JSONDecodeError: Expecting value (line 1, column 6)".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace talaria::tool {

// What is wrong with it, or nothing.
std::optional<std::string> json_flaw(std::string_view text);
std::optional<std::string> yaml_flaw(const std::string& text);

}  // namespace talaria::tool
