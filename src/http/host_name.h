// International host names: how a name with letters beyond ASCII is written in the DNS.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria::http {

// "bücher.example" is "xn--bcher-kva.example". Letters are mapped as browsers do (UTS 46, without
// the transitional mappings: ß stays ß); then the rules for names (RFC 5892) and for names that are
// written from right to left (RFC 5893) are checked. A label that is ASCII stays as it is.
//
// Refused although the rules allow it: a zero-width non-joiner between Arabic letters. Such a name
// can be given in its xn-- form.
Result<std::string> ascii_host_name(std::string_view utf8);

}  // namespace talaria::http
