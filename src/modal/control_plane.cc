#include "modal/control_plane.h"

#include <utility>

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <modal_client.grpc.pb.h>

#include "base/text.h"
#include "modal/ask.h"
#include "modal/retries.h"
#include "os/random.h"

namespace talaria::modal {
namespace {

constexpr std::string_view kTokenCall = "AuthTokenGet";
constexpr std::chrono::milliseconds kTokenAttempt{5'000};
// As the service counts clients: one of the protocol of today, and no SDK of its own.
constexpr const char* kClientType = "1";
constexpr const char* kClientVersion = "1.0.0";

UnixTime now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

}  // namespace

ControlPlane::ControlPlane(const Account& account, Report& report)
    : account_(account), report_(report), channel_(open_channel(account.server)) {
  report_.keep_secret(account_.token_secret.view());
}

CallResult<void> ControlPlane::call(std::string_view name, const Patience& patience,
                                    const Attempt& attempt) {
  return repeat(name, os::random_uuid(), patience, attempt);
}

CallResult<void> ControlPlane::stream(std::string_view name, const Patience& patience,
                                      const Attempt& attempt) {
  return repeat(name, "", patience, attempt);
}

void ControlPlane::add_headers(grpc::ClientContext& context) const {
  context.AddMetadata("x-modal-client-type", kClientType);
  context.AddMetadata("x-modal-client-version", kClientVersion);
  context.AddMetadata("x-modal-token-id", account_.token_id);
  context.AddMetadata("x-modal-token-secret", std::string(account_.token_secret.view()));
  context.AddMetadata("x-modal-host", account_.server.host);
}

CallResult<void> ControlPlane::repeat(std::string_view name, const std::string& key,
                                      const Patience& patience, const Attempt& attempt) {
  const auto begun = Clock::now();
  Retries retries(kControlRules, account_.most_throttled.value_or(kMostThrottled));
  bool renewed = name == kTokenCall;  // it has none to renew
  for (;;) {
    if (Clock::now() >= patience.deadline) return failed(late(name));
    grpc::ClientContext context;
    Secret used;
    if (name != kTokenCall) {
      CallResult<Secret> token = this->token(patience);
      if (!token) return failed(token.error());
      used = std::move(*token);
      context.AddMetadata("x-modal-auth-token", std::string(used.view()));
    }
    add_headers(context);
    if (!key.empty()) {
      context.AddMetadata("x-idempotency-key", key);
      context.AddMetadata("x-retry-attempt", std::to_string(retries.repeated()));
      context.AddMetadata("x-throttle-retry-attempt", std::to_string(retries.throttled()));
    }
    limit_attempt(context, patience);
    grpc::Status status;
    {
      const Interrupt::Call cancelled(patience.interrupt, context);
      status = attempt(context);
    }
    if (status.ok()) return {};
    if (patience.interrupt.triggered()) return failed(failure_of(name, status, patience));
    if (status.error_code() == status::kUnauthenticated && !renewed) {
      renewed = true;
      forget_token(used);
      continue;
    }
    const auto elapsed = std::chrono::floor<std::chrono::milliseconds>(Clock::now() - begun);
    const auto requested = requested_delay(context);
    const auto delay = retries.next(status.error_code(), requested, elapsed);
    if (!delay || Clock::now() + *delay >= patience.deadline) {
      return failed(failure_of(name, status, patience));
    }
    if (requested) report_.progress("the service asks to wait " + in_seconds(*delay) + " s");
    if (!patience.interrupt.sleep(*delay)) return failed(failure_of(name, status, patience));
  }
}

CallResult<Secret> ControlPlane::token(const Patience& patience) {
  const std::lock_guard lock(mutex_);
  if (token_.empty() || now() >= renewal_) {
    if (auto fetched = fetch_token(patience); !fetched) return failed(fetched.error());
  }
  return token_;
}

CallResult<void> ControlPlane::fetch_token(const Patience& patience) {
  const Patience brief{patience.deadline, patience.interrupt, kTokenAttempt};
  const auto answer = ask(*this, kTokenCall, &::modal::client::ModalClient::Stub::AuthTokenGet,
                          ::modal::client::AuthTokenGetRequest(), brief);
  if (!answer) return failed(answer.error());
  token_ = Secret(answer->token());
  renewal_ = renewal_time(answer->token(), now());
  report_.keep_secret(answer->token());
  return {};
}

void ControlPlane::forget_token(const Secret& token) {
  const std::lock_guard lock(mutex_);
  if (token_.view() == token.view()) token_.clear();
}

}  // namespace talaria::modal
