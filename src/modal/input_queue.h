// InputQueue: bytes on their way from one thread, which reads them, to another, which sends them.
// Bounded: who adds waits until there is room, so that no more is read than is taken. Whatever has
// gathered while the last was sent goes out as one piece.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace talaria::modal {

class InputQueue {
 public:
  explicit InputQueue(std::size_t most) : most_(most) {}

  // False once nobody takes any more.
  bool add(std::string_view bytes);
  void end();

  // All there is, at most `most` bytes; waits for some. Empty: the end.
  std::string take();
  // Nobody takes any more, and nobody waits.
  void close();

 private:
  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string bytes_;
  bool ended_ = false;
  bool closed_ = false;
};

}  // namespace talaria::modal
