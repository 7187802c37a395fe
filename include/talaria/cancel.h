// Cancel: ends one call or many. Copies share one state. Any thread may cancel it at any time. The
// calls that have it then end, and everything that a command started is killed before its call
// returns.
#pragma once

#include <talaria/export.h>

#include <memory>

namespace talaria {

class TALARIA_API Cancel {
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
