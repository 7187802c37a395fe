// RunTerminal: the terminal of a command and the sizes it had, for a replay of the output.
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

}  // namespace talaria::runner
