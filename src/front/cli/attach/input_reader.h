// InputReader: standard input, read by a thread of its own, whatever it is: a terminal, a pipe, a
// file. The descriptor stays as it was: one that is made non-blocking for us would be so for
// everybody who shares it, and would stay so if we are killed.
//
// Each piece is handed over on the event loop; the next one is read when go_on() was called.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <boost/asio/any_io_executor.hpp>

namespace talaria::front::cli {

class InputReader {
 public:
  // An empty piece: the end. Nothing comes behind it, nor once the reader is gone. Throws
  // std::system_error if the kernel has no descriptor left.
  using OnPiece = std::function<void(std::string piece)>;
  InputReader(boost::asio::any_io_executor executor, int fd, OnPiece on_piece);
  InputReader(const InputReader&) = delete;
  InputReader& operator=(const InputReader&) = delete;
  ~InputReader();  // returns at once, whatever the input does

  void go_on();

 private:
  void read_on(int fd, const std::weak_ptr<OnPiece>& receiver);
  bool wait_for(int fd);  // -1: for a call only. False: we are to end

  boost::asio::any_io_executor executor_;
  std::shared_ptr<OnPiece> on_piece_;
  int call_;                        // an eventfd: something for the thread to look at
  std::atomic<bool> stop_ = false;  // set before call_
  std::thread thread_;
};

}  // namespace talaria::front::cli
