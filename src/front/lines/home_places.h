// HomePlaces: the tasks of a home, for the client of one program: it may name any.
#pragma once

#include <string>

#include "api/asio_runtime.h"
#include "front/lines/line_places.h"

namespace talaria::front::lines {

class HomePlaces final : public LinePlaces {
 public:
  // `own_task`: of calls that name none.
  HomePlaces(AsioRuntime& runtime, std::string own_task)
      : runtime_(runtime), own_task_(std::move(own_task)) {}

  std::string_view transport() const override { return "stdio"; }
  json::object describe() const override;
  Task<Result<LinePlace>> find(std::string task, std::string sandbox) override;
  bool may_see(const std::string& /*task*/) const override { return true; }
  bool sees_all() const override { return true; }

 private:
  AsioRuntime& runtime_;
  std::string own_task_;
};

}  // namespace talaria::front::lines
