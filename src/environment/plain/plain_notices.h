// PlainNotices: what the first results of an environment without a runner say about that.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "environment/plain/plain_script.h"

namespace talaria::environment::plain {

class PlainNotices {
 public:
  // `why` no runner is there.
  explicit PlainNotices(std::string why) : why_(std::move(why)) {}

  void add(const PlainTrailer& trailer, std::vector<std::string>& notices);

 private:
  std::string why_;
  bool told_why_ = false;
  bool told_shell_ = false;
};

}  // namespace talaria::environment::plain
