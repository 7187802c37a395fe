// Budget: how much may be made of one command while it is followed: words, values, copies of them.
// A short text can ask for more than any memory holds.
#pragma once

#include <algorithm>
#include <cstddef>

namespace talaria::guard {

class Budget {
 public:
  static constexpr std::size_t kBytes = 8 * 1024 * 1024;
  static constexpr std::size_t kWordBytes = 64;  // what a word costs, however short it is

  void allow(std::size_t bytes) { left_ += bytes; }
  void spend(std::size_t bytes) { left_ -= std::min(left_, bytes); }
  void spend_words(std::size_t words) { spend(words * kWordBytes); }
  bool spent() const { return left_ == 0; }

 private:
  std::size_t left_ = kBytes;
};

}  // namespace talaria::guard
