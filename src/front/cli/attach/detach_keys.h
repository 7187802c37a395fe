// DetachKeys: recognises the keys that detach. A key that may begin the sequence is held back until
// the next key.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria::front::cli {

class DetachKeys {
 public:
  static constexpr std::string_view kDefault = "ctrl-p,ctrl-q";

  // Keys with commas between them: a letter or another character as it is, or ctrl- and one of
  // a to z @ [ \ ] ^ _. "none": no keys detach.
  static Result<DetachKeys> parse(std::string_view text);

  struct Typed {
    std::string keys;     // for the process
    bool detach = false;  // what was typed after them is dropped
  };
  Typed feed(std::string_view bytes);

 private:
  explicit DetachKeys(std::string sequence) : sequence_(std::move(sequence)) {}

  std::string sequence_;
  std::size_t matched_ = 0;  // the number of keys that are held back
};

}  // namespace talaria::front::cli
