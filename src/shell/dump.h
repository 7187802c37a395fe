// Reading the state a shell wrote when it ended (the text of shell/script.h's epilogue makes it).
//
// The dump is what bash's own builtins print, in sections that end with NUL:
//   NUL nonce NUL "$? $SHELLOPTS $BASHOPTS" NUL umask NUL pwd NUL export -p NUL alias -p NUL
//   declare -F NUL declare -f NUL nonce NUL
// sh has no such lists of options and no way to print functions: "0 -$- ", and nothing for the
// latter. A user's DEBUG trap may have printed into it before the first nonce; a shell that was
// killed or hit a file size limit leaves it unfinished, which is an error: half a state is never
// used.
#pragma once

#include <string_view>

#include "base/result.h"
#include "shell/state.h"

namespace talaria::shell {

Result<ShellState> parse_dump(std::string_view dump, std::string_view nonce,
                              const ShellDefaults& defaults);

// The options that are never kept, as a pattern of the shell: "errexit|nounset|...".
std::string unsaved_options();

// "a:b:c" as bash writes its option lists.
std::vector<std::string> split_options(std::string_view list);

}  // namespace talaria::shell
