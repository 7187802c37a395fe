#include "modal/channel.h"

#include <stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include <grpc/support/log.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>
#include <grpcpp/support/status.h>

#include "modal/retry_delay.h"

namespace talaria::modal {
namespace {

constexpr int kMessageBytes = 100 * 1024 * 1024;
constexpr std::chrono::milliseconds kTick{50};  // by so much gRPC's clock may be ahead of ours

}  // namespace

void prepare_grpc() {
  gpr_set_log_function([](gpr_log_func_args*) {});
  const char* trusted = std::getenv("SSL_CERT_FILE");
  if (trusted != nullptr) ::setenv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", trusted, 0);
}

std::shared_ptr<grpc::ChannelInterface> open_channel(const Address& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMessageBytes);
  arguments.SetMaxSendMessageSize(kMessageBytes);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // Repeating is our business, and of a connection that broke the next is tried soon.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2'000);
  if (address.plain) arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);  // it is this machine
  const auto credentials = address.plain ? grpc::InsecureChannelCredentials()
                                         : grpc::SslCredentials(grpc::SslCredentialsOptions());
  return grpc::CreateCustomChannel(address.target(), credentials, arguments);
}

// gRPC's clock of deadlines is the one that people set, so they are made of what is left.
void limit_attempt(grpc::ClientContext& context, const Patience& patience) {
  const auto left = std::min<Clock::duration>(patience.deadline - Clock::now(), patience.attempt);
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::duration_cast<std::chrono::milliseconds>(left));
}

std::optional<std::chrono::milliseconds> requested_delay(const grpc::ClientContext& context) {
  const auto& trailers = context.GetServerTrailingMetadata();
  const auto found = trailers.find("grpc-status-details-bin");
  if (found == trailers.end()) return std::nullopt;
  return retry_delay({found->second.data(), found->second.size()});
}

CallFailure late(std::string_view call) {
  return {ErrorKind::timed_out, std::string(call), "", "the time for it is up"};
}

CallFailure failure_of(std::string_view call, const grpc::Status& status,
                       const Patience& patience) {
  if (patience.interrupt.triggered()) {
    return {ErrorKind::interrupted, std::string(call), "",
            "given up: the program was asked to end"};
  }
  const int code = status.error_code();
  if (code == status::kDeadlineExceeded && Clock::now() + kTick >= patience.deadline) {
    return late(call);
  }
  return {kind_of_status(code), std::string(call), std::string(status_name(code)),
          status.error_message()};
}

}  // namespace talaria::modal
