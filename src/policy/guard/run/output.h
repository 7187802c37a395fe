// What a command prints, where its words tell: echo, printf, cat of a here-document, base64 -d of
// text that is known, and so on.
#pragma once

#include <optional>
#include <string>

#include "policy/guard/run/seen_command.h"

namespace talaria {

std::optional<std::string> literal_output(const SeenCommand& command);

}  // namespace talaria
