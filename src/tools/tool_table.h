// Every tool there is. To add one: write its file, then add its line here.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tools/process.h"
#include "tools/terminal.h"
#include "tools/tool.h"

namespace talaria {

inline constexpr std::array kTools{
    Tool{"terminal", kTerminalDescription, kTerminalSchema, terminal},
    Tool{"process", kProcessDescription, kProcessSchema, process},
};

// Null if there is none of that name.
const Tool* find_tool(std::string_view name);

// "a, b, c": for the message that says which tools there are.
std::string tool_names();

}  // namespace talaria
