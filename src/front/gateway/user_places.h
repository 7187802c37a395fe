// UserPlaces: the sandboxes of the user of a token, for a client of JSON lines at the gateway: it
// may name these and nothing else.
#pragma once

#include <talaria/sandbox.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "front/gateway/gateway.h"
#include "front/lines/line_places.h"

namespace talaria::front::gateway {

class UserPlaces final : public lines::LinePlaces {
 public:
  // `gateway` outlives it.
  UserPlaces(Gateway& gateway, std::shared_ptr<GatewayCall> call)
      : gateway_(gateway), call_(std::move(call)) {}

  std::string_view transport() const override { return "websocket"; }
  boost::json::object describe() const override { return {{"user", call_->owner()}}; }
  Task<Result<lines::LinePlace>> find(std::string task, std::string sandbox) override;
  Task<Result<HomeSandbox>> create(const lines::LineParams& params) override;
  Result<HomeSandbox> sandbox(const std::string& id) override;
  std::vector<HomeSandbox> sandboxes() override;
  Task<Result<bool>> remove(std::string id, bool snapshot) override;
  std::optional<Error> refusal() override { return gateway_.refusal(*call_); }
  Result<void> may_approve() const override;
  bool may_see(const std::string& task) const override;
  bool sees_all() const override { return false; }

 private:
  Gateway& gateway_;
  std::shared_ptr<GatewayCall> call_;
};

}  // namespace talaria::front::gateway
