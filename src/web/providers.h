// Which provider serves a call.
#pragma once

#include <span>

#include "base/result.h"
#include "web/provider.h"

namespace talaria::web {

std::span<const Provider> all_providers();

// web.search_backend if that is set up, else web.backend, else the first that is set up. An Error
// is a message for the caller.
Result<const Provider*> search_provider(const host::WebConfig& config);
// Likewise with web.extract_backend. The built-in one is always set up.
Result<const Provider*> extract_provider(const host::WebConfig& config);

}  // namespace talaria::web
