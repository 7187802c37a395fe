// Ending a sandbox such that nothing is lost that was to be kept: a snapshot of its files first.
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

// How the runner in it is reached. `sandbox` is asked each time.
carrier::CarrierOptions sandbox_carrier(const asio::any_io_executor& executor,
                                        const ModalProgram& program,
                                        std::function<std::string()> sandbox,
                                        std::chrono::seconds lifetime);

// Whether no process runs in it and nobody is connected, also from other machines.
Task<Result<bool>> is_sandbox_idle(ModalProgram program, std::string sandbox);

// Has its files kept as the task's.
Task<Result<void>> keep_files(ModalProgram program, std::string home, LeaseFacts facts);

// Keeps its files if it is to be found again (facts.keep), then ends it and forgets the lease. If
// they cannot be kept it is left as it is; the error says so.
Task<Result<void>> end_sandbox(ModalProgram program, std::string home, LeaseFacts facts);

}  // namespace talaria::environment::modal
