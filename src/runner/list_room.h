// ListRoom: one list on its way into one message. Each process is told in full as long as there is
// room for that; then in short, so that even the most there can be of them fit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "link/messages.h"
#include "runner/limits.h"
#include "runner/run.h"

namespace talaria::runner {

class ListRoom {
 public:
  link::ProcessEntry entry(const Run& run, std::uint64_t tail_limit);

 private:
  std::size_t left_ = kMaxListedBytes;
};

}  // namespace talaria::runner
