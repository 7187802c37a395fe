// What controllers get to know of a run: the report at its end, and its entry in a list.
#pragma once

#include <cstddef>
#include <cstdint>

#include "link/messages.h"
#include "runner/limits.h"
#include "runner/run.h"

namespace talaria::runner {

// Of a run that has finished. The limits are bytes of output.
link::ExitReport exit_report(const Run& run, std::uint64_t head_limit, std::uint64_t tail_limit);

link::ExitReport handed_over_report(const Run& run, std::uint64_t head_limit,
                                    std::uint64_t tail_limit);

// With at most `tail_limit` bytes of its last output.
link::ProcessEntry process_entry(const Run& run, std::uint64_t tail_limit);

// ListRoom: the space that one list has in one message. Each process gets a full entry as long as
// there is room, then a short one, so that the largest possible number of them fits.
class ListRoom {
 public:
  link::ProcessEntry entry(const Run& run, std::uint64_t tail_limit);

 private:
  std::size_t left_ = kMaxListedBytes;
};

}  // namespace talaria::runner
