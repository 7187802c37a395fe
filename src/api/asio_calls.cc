#include <talaria/asio_calls.h>

#include <boost/json/serialize.hpp>

#include "api/core.h"
#include "host/store/call_store.h"

namespace talaria {
namespace {

using CorePointer = std::shared_ptr<AsioRuntime::Core>;

host::CallStore store_of(const CorePointer& core) {
  return host::CallStore(core->host().journal.ledger().database());
}

}  // namespace

AsioCalls::AsioCalls(const AsioRuntime& runtime) : core_(runtime.core()) {}

Result<void> AsioCalls::add(const std::string& id, const std::string& owner,
                            const std::string& tool) {
  return store_of(core_).add(id, owner, tool);
}

Result<void> AsioCalls::end(const std::string& id, const boost::json::object& answer) {
  return store_of(core_).end(id, boost::json::serialize(answer));
}

Result<std::optional<StoredCall>> AsioCalls::find(const std::string& id) {
  if (!core_->host().journal.ledger().exists()) return std::nullopt;
  return store_of(core_).find(id);
}

Result<void> AsioCalls::want_end(const std::string& id) { return store_of(core_).want_end(id); }

}  // namespace talaria
