// Connections of gRPC, and what all calls over them share.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "modal/account.h"
#include "modal/call_result.h"
#include "modal/interrupt.h"

namespace grpc {
class ChannelInterface;
class ClientContext;
class Status;
}  // namespace grpc

namespace talaria::modal {

// Before the first connection. gRPC's own remarks would stand between our lines on standard error;
// and whom to trust is said to it as to any program that uses OpenSSL, by SSL_CERT_FILE.
void prepare_grpc();

std::shared_ptr<grpc::ChannelInterface> open_channel(const Address& address);

using Clock = std::chrono::steady_clock;

// How long a call may take, with all its repetitions, and what ends it before.
struct Patience {
  Clock::time_point deadline;
  Interrupt& interrupt;
  std::chrono::milliseconds attempt{60'000};  // of each attempt; longer than any call takes
};

// The deadline of an attempt that begins now.
void limit_attempt(grpc::ClientContext& context, const Patience& patience);

// One attempt of a call: sends it with the context and says how that went.
using Attempt = std::function<grpc::Status(grpc::ClientContext&)>;

// For how long the service asks to be left alone, in the trailer of a call that failed.
std::optional<std::chrono::milliseconds> requested_delay(const grpc::ClientContext& context);

// Of a patience that has ended; also if gRPC was the one to notice.
CallFailure late(std::string_view call);

CallFailure failure_of(std::string_view call, const grpc::Status& status, const Patience& patience);

}  // namespace talaria::modal
