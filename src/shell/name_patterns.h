// A list of names of variables, as the controller and the runner exchange it:
//
//   AB        that name, exactly
//   AB*       every name that begins so
//   !AB       not that one; !AB* likewise
//   <secret>  every name that says that its value is a secret (base/secret_name.h)
//
// The first entry that matches a name decides.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace talaria::shell {

// Not a name, so a runner of an older version ignores it.
inline constexpr std::string_view kSecretNames = "<secret>";

bool lists_name(std::span<const std::string> patterns, std::string_view name);

}  // namespace talaria::shell
