// OutputGuard: stands before a command's on_output, which is somebody else's code. Once that throws
// it gets no more, and the command is given up.
#pragma once

#include <talaria/command.h>

#include <exception>
#include <functional>
#include <optional>

#include "base/result.h"

namespace talaria {

class OutputGuard {
 public:
  // Must outlive the command. `give_up` is called at most once, from within on_output.
  OutputGuard(Command& command, std::function<void()> give_up);
  OutputGuard(const OutputGuard&) = delete;
  OutputGuard& operator=(const OutputGuard&) = delete;

  std::optional<Error> error() const;  // what it threw

 private:
  std::exception_ptr thrown_;
};

}  // namespace talaria
