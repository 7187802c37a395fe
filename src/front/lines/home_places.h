// HomePlaces: the tasks of a home, for the client of one program: it may name any.
#pragma once

#include <string>
#include <vector>

#include "api/asio_home_sandboxes.h"
#include "api/asio_runtime.h"
#include "front/lines/line_places.h"

namespace talaria::front::lines {

class HomePlaces final : public LinePlaces {
 public:
  // `own_task`: of calls that name none.
  HomePlaces(AsioRuntime& runtime, std::string own_task)
      : runtime_(runtime), sandboxes_(runtime), own_task_(std::move(own_task)) {}

  std::string_view transport() const override { return "stdio"; }
  json::object describe() const override;
  Task<Result<LinePlace>> find(std::string task, std::string sandbox) override;
  Task<Result<HomeSandbox>> create(const LineParams& params) override;
  Result<HomeSandbox> sandbox(const std::string& id) override { return sandboxes_.find(id); }
  std::vector<HomeSandbox> sandboxes() override { return sandboxes_.list(); }
  Task<Result<bool>> remove(std::string id, bool snapshot) override;
  bool may_see(const std::string& /*task*/) const override { return true; }
  bool sees_all() const override { return true; }

 private:
  AsioRuntime& runtime_;
  AsioHomeSandboxes sandboxes_;
  std::string own_task_;
};

}  // namespace talaria::front::lines
