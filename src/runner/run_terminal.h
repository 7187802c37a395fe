// RunTerminal: the terminal of a command and the sizes it had, for a replay of the output. Also:
// how large a terminal may be, and its default size.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.h"
#include "link/messages.h"
#include "os/pty.h"

namespace talaria::runner {

class RunTerminal {
 public:
  explicit RunTerminal(os::WindowSize first)
      : sizes_{{.size = {.rows = first.rows, .cols = first.cols}}} {}
  // The terminal of a command that has ended; `sizes` is not empty.
  explicit RunTerminal(std::vector<link::SizeChange> sizes) : sizes_(std::move(sizes)) {}

  // `fd`: our end of the terminal. `cursor`: the output so far, which had the size before.
  Result<void> resize(int fd, link::TerminalSize size, std::uint64_t cursor);

  const std::vector<link::SizeChange>& sizes() const { return sizes_; }

 private:
  std::vector<link::SizeChange> sizes_;  // the last ones, never empty
};

Result<void> check_terminal_size(link::TerminalSize size);

// The size with the default in place of what is 0.
Result<link::TerminalSize> terminal_size_or_default(link::TerminalSize size);

os::WindowSize to_window_size(link::TerminalSize size);

}  // namespace talaria::runner
