// Which addresses a page may be fetched from.
#pragma once

#include "base/result.h"
#include "base/task.h"
#include "http/network.h"
#include "http/url.h"

namespace talaria::web {

// The addresses of `url`, each of which may be connected to. Fails with `denied`, and the reason,
// if there is a single one that may not, or none at all. The caller connects to these and does not
// ask for them again: the second answer may be another one.
Task<Result<http::Addresses>> permitted_addresses(http::Network& network, http::Url url,
                                                  bool allow_internal);

}  // namespace talaria::web
