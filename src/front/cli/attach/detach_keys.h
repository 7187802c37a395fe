// DetachKeys: the keys that leave a process alone again, found among those that are typed. A key
// that may be the first of them is held back until the next one tells.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria::front::cli {

class DetachKeys {
 public:
  static constexpr std::string_view kDefault = "ctrl-p,ctrl-q";

  // Keys with commas between them: a letter or another character as it is, or ctrl- and one of
  // a to z @ [ \ ] ^ _. "none": there are none.
  static Result<DetachKeys> parse(std::string_view text);

  struct Typed {
    std::string keys;     // for the process
    bool detach = false;  // the rest was typed behind the detach keys and is dropped
  };
  Typed feed(std::string_view bytes);

 private:
  explicit DetachKeys(std::string sequence) : sequence_(std::move(sequence)) {}

  std::string sequence_;
  std::size_t matched_ = 0;  // so many of them are held back
};

}  // namespace talaria::front::cli
