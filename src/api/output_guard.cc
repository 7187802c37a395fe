#include "api/output_guard.h"

#include <utility>

#include "base/result.h"

namespace talaria {

OutputGuard::OutputGuard(Command& command, std::function<void()> give_up) {
  if (!command.on_output) return;
  command.on_output = [this, give_up = std::move(give_up),
                       next = std::move(command.on_output)](std::string_view bytes) {
    if (thrown_) return;
    try {
      next(bytes);
    } catch (...) {
      thrown_ = std::current_exception();
      give_up();
    }
  };
}

std::optional<Error> OutputGuard::error() const {
  if (!thrown_) return std::nullopt;
  return Error(ErrorKind::bad_request,
               "on_output threw: " + exception_text(thrown_) + "; the command was cancelled");
}

}  // namespace talaria
