#include "modal/retry_delay.h"

#include <cmath>

#include <modal_client.pb.h>

namespace talaria::modal {
namespace {

constexpr std::string_view kPolicy = "/modal.client.RPCRetryPolicy";
constexpr float kMostSeconds = 1e6F;

}  // namespace

std::optional<std::chrono::milliseconds> retry_delay(std::string_view status_details) {
  ::modal::client::RPCStatus status;
  if (!status.ParseFromArray(status_details.data(), static_cast<int>(status_details.size()))) {
    return std::nullopt;
  }
  for (const auto& detail : status.details()) {
    ::modal::client::RPCRetryPolicy policy;
    if (!detail.type_url().ends_with(kPolicy) || !policy.ParseFromString(detail.value())) continue;
    const float seconds = policy.retry_after_secs();
    if (!std::isfinite(seconds) || seconds < 0 || seconds > kMostSeconds) continue;
    return std::chrono::milliseconds(std::llround(seconds * 1000));
  }
  return std::nullopt;
}

}  // namespace talaria::modal
