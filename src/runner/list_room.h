// ListRoom: the space that one list has in one message. Each process gets a full entry as long as
// there is room for that, then a short one, so that the largest possible number of them fits.
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
