// AsioSettings: the settings of a running program: what they are, and changes of them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "api/asio_runtime.h"

namespace talaria {

class AsioSettings {
 public:
  explicit AsioSettings(const AsioRuntime& runtime) : core_(runtime.core()) {}

  struct Changed {
    std::vector<std::string> applied;                        // from the next call on
    std::vector<std::pair<std::string, std::string>> later;  // and why not now
  };
  // By name, as `talaria config` shows it, or by key. A value is a text, a number, a boolean, a
  // list or an object; null takes an earlier change back. An Error: one is unknown or invalid, or
  // this program was started by a command; nothing is changed.
  Result<Changed> set(const boost::json::object& settings);

  // Their values by name; secrets are "***". Without names: of all.
  Result<boost::json::object> get(const std::vector<std::string>& names) const;

 private:
  std::shared_ptr<AsioRuntime::Core> core_;
};

}  // namespace talaria
