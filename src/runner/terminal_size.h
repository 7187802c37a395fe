// How large a terminal may be, and its default size.
#pragma once

#include "base/result.h"
#include "link/messages.h"
#include "os/pty.h"

namespace talaria::runner {

Result<void> check_terminal_size(link::TerminalSize size);

// The size with the default in place of what is 0.
Result<link::TerminalSize> terminal_size_or_default(link::TerminalSize size);

os::WindowSize to_window_size(link::TerminalSize size);

}  // namespace talaria::runner
