// AsioCalls: calls of tools that outlive the requests they were made by. The home stores them, so
// that another program can ask for their answers, such as the next server of the same agent.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <boost/json/object.hpp>

#include "api/asio_runtime.h"
#include "host/store/stored_call.h"

namespace talaria {

using host::StoredCall;

class AsioCalls {
 public:
  explicit AsioCalls(const AsioRuntime& runtime);

  // This program makes it.
  boost::asio::awaitable<Result<void>> add(std::string id, std::string owner, std::string tool);
  boost::asio::awaitable<Result<void>> end(std::string id, const boost::json::object& answer);

  // Nothing if it is unknown. Does not create a store.
  Result<std::optional<StoredCall>> find(const std::string& id);
  boost::asio::awaitable<Result<void>> want_end(std::string id);

 private:
  std::shared_ptr<AsioRuntime::Core> core_;
};

}  // namespace talaria
