// Which addresses a page may be fetched from.
#pragma once

#include "base/result.h"
#include "base/task.h"
#include "http/network.h"
#include "http/url.h"

namespace talaria::web {

// The addresses of `url`. Fails (denied) if one of them is not permitted, or if there are none. The
// caller connects to these and does not resolve the name again, which could give others.
Task<Result<http::Addresses>> permitted_addresses(http::Network& network, http::Url url,
                                                  bool allow_internal);

}  // namespace talaria::web
