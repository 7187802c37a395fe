// AsioWatch: watches what calls of a runtime wait for (watchers.h), for as long as it lives.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "api/asio_runtime.h"
#include "api/watchers.h"

namespace talaria {

class AsioWatch {
 public:
  AsioWatch(const AsioRuntime& runtime, Watcher watcher);
  AsioWatch(AsioWatch&& other) noexcept
      : core_(std::move(other.core_)), id_(std::exchange(other.id_, 0)) {}
  AsioWatch& operator=(AsioWatch&&) = delete;
  ~AsioWatch();

 private:
  std::shared_ptr<AsioRuntime::Core> core_;
  std::uint64_t id_;
};

}  // namespace talaria
