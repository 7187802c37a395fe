// OutputRelay: takes output on the loop to a callback of the embedding program on another thread.
// If the callback is slow, its source is held up, and nothing else.
#pragma once

#include <talaria/cancel.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/event.h"
#include "base/output_flow.h"
#include "base/result.h"
#include "base/task.h"

namespace talaria {

class OutputRelay : public std::enable_shared_from_this<OutputRelay> {
 public:
  // A piece, and what its source said about it: where it begins, or which stream it is of.
  using Sink = std::function<void(std::uint64_t tag, std::string_view bytes)>;
  // Has work done on another thread, soon.
  using Post = std::function<void(std::function<void()>)>;

  OutputRelay(asio::any_io_executor loop, Sink sink, Post post);

  // On the loop:
  void add(std::uint64_t tag, std::string_view bytes);
  const std::shared_ptr<OutputFlow>& flow() const { return flow_; }
  // All that was added has been passed on.
  Task<void> drained();

  // What the callback threw. It is not called again then, and the Cancel is cancelled.
  std::optional<Error> error() const;
  const Cancel& cancel() const { return cancel_; }

 private:
  struct Piece {
    std::uint64_t tag = 0;
    std::string bytes;
  };

  void pass_on();        // on that thread
  void was_passed_on();  // on the loop

  asio::any_io_executor loop_;
  Sink sink_;
  Post post_;
  std::shared_ptr<OutputFlow> flow_ = std::make_shared<OutputFlow>();
  AsyncEvent drained_;
  Cancel cancel_;

  mutable std::mutex mutex_;
  std::vector<Piece> pieces_;
  std::size_t bytes_ = 0;
  bool busy_ = false;  // that thread has work
  std::exception_ptr thrown_;
};

// What the output of a command that was cut short by its reader's exception is answered with.
Error output_error(const std::exception_ptr& thrown);

}  // namespace talaria
