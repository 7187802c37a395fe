// Whether a JSON value counts as true where any value may stand, as Python understands it: all do
// but null, false, 0 and what is empty.
#pragma once

#include <boost/json/value.hpp>

namespace talaria {

bool is_truthy(const boost::json::value& value);

}  // namespace talaria
