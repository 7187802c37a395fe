// Cancel: "stop, I no longer want this", for one call or for many. Copies are the same Cancel. Any
// thread may cancel it at any time; what it was given to is then given up, and what a command
// started is killed before its call returns.
#pragma once

#include <memory>

namespace talaria {

class Cancel {
 public:
  Cancel();

  void cancel() const;  // once and for all
  bool cancelled() const;

 private:
  friend class CancelWatch;
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace talaria
