// What controllers get to know of a run: the report at its end, and its entry in a list.
#pragma once

#include <cstddef>
#include <cstdint>

#include "link/messages.h"
#include "runner/run.h"

namespace talaria::runner {

// Of a run that has finished. The limits are bytes of output.
link::ExitReport exit_report(const Run& run, std::uint64_t head_limit, std::uint64_t tail_limit);

link::ExitReport handed_over_report(const Run& run, std::uint64_t head_limit,
                                    std::uint64_t tail_limit);

// With at most so many bytes of its command and of its last output.
link::ProcessEntry process_entry(const Run& run, std::size_t command_limit,
                                 std::uint64_t tail_limit);

}  // namespace talaria::runner
