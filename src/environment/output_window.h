// OutputWindow: the first and the last bytes of a stream, and how many there were.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "environment/command.h"

namespace talaria::environment {

class OutputWindow {
 public:
  OutputWindow(std::uint64_t head_limit, std::uint64_t tail_limit)
      : head_limit_(head_limit), tail_limit_(tail_limit) {}

  void add(std::string_view bytes) {
    total_ += bytes.size();
    const std::size_t first = std::min<std::size_t>(bytes.size(), head_limit_ - head_.size());
    head_ += bytes.substr(0, first);
    tail_ += bytes.substr(first);
    if (tail_.size() > 2 * tail_limit_ + kSlack) cut();
  }

  // Fills the members of the outcome that are about output.
  void put_into(CommandOutcome& outcome) {
    outcome.total = total_;
    outcome.tail = tail();
    outcome.tail_from = outcome.total - outcome.tail.size();
    outcome.head = head_;
  }

  std::uint64_t total() const { return total_; }
  const std::string& head() const { return head_; }
  // At most the limit; ends with the last byte of the stream, and never repeats one of the head.
  const std::string& tail() {
    cut();
    return tail_;
  }

 private:
  static constexpr std::size_t kSlack = 64 * 1024;  // so that it is not cut for every piece

  void cut() {
    if (tail_.size() > tail_limit_) tail_.erase(0, tail_.size() - tail_limit_);
  }

  std::uint64_t head_limit_;
  std::uint64_t tail_limit_;
  std::uint64_t total_ = 0;
  std::string head_;
  std::string tail_;
};

}  // namespace talaria::environment
