// How large a terminal may be, and is if nobody says.
#pragma once

#include "base/result.h"
#include "link/messages.h"
#include "os/pty.h"

namespace talaria {

Result<void> check_terminal_size(TerminalSize size);

// The size with the default in place of what is 0.
Result<TerminalSize> terminal_size_or_default(TerminalSize size);

WindowSize to_window_size(TerminalSize size);

}  // namespace talaria
