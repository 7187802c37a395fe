// `talaria token`: who may use the gateway.
#pragma once

#include "front/cli/command_line.h"
#include "front/stdio.h"

namespace talaria::front::cli {

int token_add_front(const TokenAddOptions& options, const Stdio& stdio);
int token_list_front(const TokenListOptions& options, const Stdio& stdio);
int token_revoke_front(const TokenRevokeOptions& options, const Stdio& stdio);

}  // namespace talaria::front::cli
