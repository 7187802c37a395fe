// Rules have had other names: an allowlist that was written for those still counts.
#pragma once

#include <string_view>

namespace talaria {

// What a rule was called before; empty: as now. Several rules may share such a name, and an entry
// of that name allows them all; the names of today never allow more than one.
std::string_view legacy_key(std::string_view rule);

// Whether an entry of an allowlist means this rule.
bool means_rule(std::string_view entry, std::string_view rule);

}  // namespace talaria
