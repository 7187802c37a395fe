// ControlPlane: the service that has accounts, images and sandboxes. Knows who we are, gets the
// short-lived token that goes along with each call, and repeats what may be repeated: always with
// the key of the first attempt, by which the service knows it for the same.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/secret.h"
#include "modal/account.h"
#include "modal/call_result.h"
#include "modal/channel.h"
#include "modal/jwt.h"
#include "modal/report.h"

namespace talaria::modal {

class ControlPlane {
 public:
  ControlPlane(const Account& account, Report& report);

  const Account& account() const { return account_; }
  Report& report() { return report_; }
  const std::shared_ptr<grpc::ChannelInterface>& channel() const { return channel_; }

  CallResult<void> call(std::string_view name, const Patience& patience, const Attempt& attempt);

  // The same for one whose answer is a stream; it has no key.
  CallResult<void> stream(std::string_view name, const Patience& patience, const Attempt& attempt);

 private:
  CallResult<void> repeat(std::string_view name, const std::string& key, const Patience& patience,
                          const Attempt& attempt);
  CallResult<Secret> token(const Patience& patience);
  CallResult<void> fetch_token(const Patience& patience);
  void forget_token(const Secret& token);
  void add_headers(grpc::ClientContext& context) const;

  const Account& account_;
  Report& report_;
  std::shared_ptr<grpc::ChannelInterface> channel_;
  std::mutex mutex_;
  Secret token_;
  UnixTime renewal_;
};

}  // namespace talaria::modal
