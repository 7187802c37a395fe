// CallbackThreads: where callbacks of an embedding program that may take their time are called, so
// that one does not hold up another. A thread is started when none is idle.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace talaria {

class CallbackThreads {
 public:
  CallbackThreads() = default;
  CallbackThreads(const CallbackThreads&) = delete;
  CallbackThreads& operator=(const CallbackThreads&) = delete;
  // Waits until all work is done.
  ~CallbackThreads();

  // It must not throw. Any thread may call this.
  void post(std::function<void()> work);

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ending_ = false;
};

// Pump: the same on the thread that waits for a call: it does the work in serve().
class Pump {
 public:
  void post(std::function<void()> work);
  void end();
  void serve();  // returns after end(), when all work is done

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool ended_ = false;
};

}  // namespace talaria
