// CancelWatch: has something done when a Cancel is cancelled, for as long as the watch lives.
#pragma once

#include <talaria/cancel.h>

#include <functional>
#include <list>

namespace talaria {

class CancelWatch {
 public:
  // `action` is called on the thread that cancels, or at once if that has happened. It must only
  // pass the word on: a lock is held meanwhile, so that none is called once its watch is gone.
  CancelWatch(const Cancel& cancel, std::function<void()> action);
  CancelWatch(const CancelWatch&) = delete;
  CancelWatch& operator=(const CancelWatch&) = delete;
  ~CancelWatch();

 private:
  Cancel cancel_;
  std::list<std::function<void()>>::iterator place_;
};

}  // namespace talaria
