// What a service says beside its error, in the trailer grpc-status-details-bin.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace talaria::modal {

// For how long it wants to be left alone: of the RPCRetryPolicy in an RPCStatus.
std::optional<std::chrono::milliseconds> retry_delay(std::string_view status_details);

}  // namespace talaria::modal
