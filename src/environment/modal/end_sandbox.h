// Ends a sandbox without losing files that are to be kept: a snapshot is made first.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "environment/carrier/carrier.h"
#include "environment/lease.h"
#include "environment/modal/modal_program.h"

namespace talaria::environment::modal {

// The kind of its lease.
inline constexpr std::string_view kSandboxLease = "sandbox";

// How the runner in it is reached. `sandbox` is called each time.
carrier::CarrierOptions sandbox_carrier(const asio::any_io_executor& executor,
                                        const ModalProgram& program,
                                        std::function<std::string()> sandbox,
                                        std::chrono::seconds lifetime);

// Whether no process runs in it and no client is connected, also from other machines.
Task<Result<bool>> is_sandbox_idle(ModalProgram program, std::string sandbox);

// Stores a snapshot of its files as those of the task.
Task<Result<void>> keep_files(ModalProgram program, std::string home, LeaseFacts facts);

// Stores a snapshot if it is to be found again (facts.keep), then ends it and removes the lease. If
// that fails it keeps running; the error says so.
Task<Result<void>> end_sandbox(ModalProgram program, std::string home, LeaseFacts facts);

}  // namespace talaria::environment::modal
