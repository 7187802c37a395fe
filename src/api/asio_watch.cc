#include "api/asio_watch.h"

#include "api/core.h"

namespace talaria {

AsioWatch::AsioWatch(const AsioRuntime& runtime, Watcher watcher)
    : core_(runtime.core()), id_(core_->watchers().add(std::move(watcher))) {}

AsioWatch::~AsioWatch() {
  if (core_) core_->watchers().remove(id_);
}

}  // namespace talaria
