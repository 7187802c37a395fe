#include "api/asio_calls.h"

#include <boost/json/serialize.hpp>

#include "api/core.h"
#include "host/store/call_store.h"

namespace talaria {
namespace {

using CorePointer = std::shared_ptr<AsioRuntime::Core>;

host::CallStore store_of(const CorePointer& core) {
  return host::CallStore(core->host().journal.ledger().database());
}

template <class Work>
Task<Result<void>> patiently(const CorePointer& core, Work work) {
  return core->host().journal.ledger().database()->patiently(std::move(work));
}

}  // namespace

AsioCalls::AsioCalls(const AsioRuntime& runtime) : core_(runtime.core()) {}

asio::awaitable<Result<void>> AsioCalls::add(std::string id, std::string owner, std::string tool) {
  return patiently(core_,
                   [store = store_of(core_), id = std::move(id), owner = std::move(owner),
                    tool = std::move(tool)]() mutable { return store.add(id, owner, tool); });
}

asio::awaitable<Result<void>> AsioCalls::end(std::string id, const boost::json::object& answer) {
  return patiently(
      core_, [store = store_of(core_), id = std::move(id),
              text = boost::json::serialize(answer)]() mutable { return store.end(id, text); });
}

Result<std::optional<StoredCall>> AsioCalls::find(const std::string& id) {
  if (!core_->host().journal.ledger().exists()) return std::nullopt;
  return store_of(core_).find(id);
}

asio::awaitable<Result<void>> AsioCalls::want_end(std::string id) {
  return patiently(core_, [store = store_of(core_), id = std::move(id)]() mutable {
    return store.want_end(id);
  });
}

}  // namespace talaria
