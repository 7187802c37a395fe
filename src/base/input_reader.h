// InputReader: reads a terminal, a pipe or a file that others may share, in its own thread. It does
// not make the descriptor non-blocking: that would affect all programs that share it, and would
// remain if we are killed.
//
// Each piece is delivered on the event loop; the next one is read after read_next().
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <boost/asio/any_io_executor.hpp>

namespace talaria {

class InputReader {
 public:
  // An empty piece is the end; nothing follows it. Nothing is delivered after the destructor. The
  // constructor throws std::system_error if there is no free descriptor.
  using OnPiece = std::function<void(std::string piece)>;
  InputReader(boost::asio::any_io_executor executor, int fd, OnPiece on_piece);
  InputReader(const InputReader&) = delete;
  InputReader& operator=(const InputReader&) = delete;
  ~InputReader();  // does not wait for input

  void read_next();

 private:
  void read_on(int fd, const std::weak_ptr<OnPiece>& receiver);
  bool wait_for(int fd);  // -1: only for read_next(). False: stop

  boost::asio::any_io_executor executor_;
  std::shared_ptr<OnPiece> on_piece_;
  int call_;                        // an eventfd that wakes the thread
  std::atomic<bool> stop_ = false;  // set before call_
  std::thread thread_;
};

}  // namespace talaria
