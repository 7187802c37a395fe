// Input: the standard input of a command as a stream that a program writes while the command runs.
// Give it as Command::input. Copies share one stream; any thread may write.
#pragma once

#include <talaria/error.h>
#include <talaria/export.h>

#include <memory>
#include <string_view>
#include <utility>

namespace talaria {

class TALARIA_API Input {
 public:
  // Fails if there are no descriptors left.
  static Result<Input> make();

  // Waits while the command takes no more. False: it has ended, or takes no input.
  bool write(std::string_view bytes) const;
  // The command reads to the end of what was written.
  void close() const;

  class State;
  explicit Input(std::shared_ptr<State> state) : state_(std::move(state)) {}
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace talaria
