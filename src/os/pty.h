// Pseudo-terminals: what a program takes for a terminal, and the end through which we are the
// person in front of it. Works in a static program.
#pragma once

#include <string>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria::os {

struct WindowSize {
  unsigned short rows = 0;
  unsigned short cols = 0;
};

struct Pty {
  UniqueFd
      master;  // non-blocking; a read fails with EIO when nobody has the terminal open any more
  UniqueFd terminal;  // the program's end, not anybody's controlling terminal yet
};

Result<Pty> open_pty(WindowSize size);

// Tells the programs in the foreground (SIGWINCH) if it is another size than before.
Result<void> set_window_size(int master, WindowSize size);

// What is typed at this terminal to say that there is no more: its EOF character, which ends a
// line without being part of it. A line that was begun needs it twice: once to hand over what is
// there, once more for the end. `last` is the byte typed before, '\n' if there is none.
std::string end_of_input(int master, char last);

}  // namespace talaria::os
