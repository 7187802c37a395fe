// Values: typed access to what was resolved. A setting asked for as what it is not is a bug.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "base/text.h"
#include "host/config/resolve.h"

namespace talaria::host {

class Values {
 public:
  explicit Values(const Resolution& resolution) : resolution_(resolution) {}

  std::string text(std::string_view name) const {
    return std::string(resolution_.of(name).value().as_string());
  }
  std::int64_t integer(std::string_view name) const {
    return resolution_.of(name).value().as_int64();
  }
  std::chrono::seconds seconds(std::string_view name) const {
    return std::chrono::seconds(integer(name));
  }
  double number(std::string_view name) const {
    return resolution_.of(name).value().to_number<double>();
  }
  json::value raw(std::string_view name) const { return resolution_.of(name).value(); }
  bool truth(std::string_view name) const { return resolution_.of(name).value().as_bool(); }

  // The texts of a list, trimmed; other items are left out.
  std::vector<std::string> texts(std::string_view name) const {
    std::vector<std::string> found;
    const json::value list = resolution_.of(name).value();
    for (const json::value& item : list.as_array()) {
      if (!item.is_string()) continue;
      const std::string_view text = trim(item.as_string());
      if (!text.empty()) found.emplace_back(text);
    }
    return found;
  }

  bool is_default(std::string_view name) const {
    const ResolvedSetting& one = resolution_.of(name);
    return one.origin == Origin::standard || !one.complaint.empty();
  }

 private:
  const Resolution& resolution_;
};

}  // namespace talaria::host
