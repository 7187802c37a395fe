// Filters whose output follows from their words and what they read: cat, base64 -d, rev, tr, …
#pragma once

#include <optional>
#include <string>

#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

// What the filter makes of its input; nothing: it is none of these, or that is not known.
std::optional<std::string> filtered(const SeenCommand& command, const std::string& text);

}  // namespace talaria::guard
