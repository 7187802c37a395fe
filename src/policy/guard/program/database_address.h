// The database that a program connects to.
#pragma once

#include <string>
#include <vector>

#include "policy/guard/program/program.h"
#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

// A client with the address that the program connects to, if it says one in clear, and `rest`.
std::vector<SeenWord> database_client(const ProgramReport& report, std::string_view client,
                                      const std::vector<SeenWord>& rest);

}  // namespace talaria::guard
