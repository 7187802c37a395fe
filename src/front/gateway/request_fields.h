// RequestFields: the JSON fields of a request. It stores the first error, so a route reads all its
// fields and then checks once.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/result.h"

namespace talaria::front::gateway {

class RequestFields {
 public:
  // An empty body is valid.
  explicit RequestFields(std::string_view body);

  std::string text(std::string_view name);
  std::optional<std::string> optional_text(std::string_view name);
  double number(std::string_view name);  // 0 if it is absent; never negative
  std::chrono::milliseconds milliseconds(std::string_view name);
  bool flag(std::string_view name, bool otherwise = false);
  const boost::json::object* object(std::string_view name);
  const boost::json::value* find(std::string_view name) const;

  void flawed(std::string why);
  const Result<void>& check() const { return check_; }

 private:
  boost::json::object fields_;
  Result<void> check_;
};

}  // namespace talaria::front::gateway
