// AsioSudo: is asked for the password of sudo, for as long as it lives.
#pragma once

#include <talaria/hooks.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "api/asio_runtime.h"

namespace talaria {

class AsioSudo {
 public:
  // `session_key`: whose commands it is asked about; empty: all that no other listener names.
  // `ask` is called on the loop; only the first call of the reply is used.
  AsioSudo(const AsioRuntime& runtime, std::string session_key,
           std::function<void(const SudoRequest&, SudoReply)> ask);
  AsioSudo(AsioSudo&& other) noexcept
      : core_(std::move(other.core_)), id_(std::exchange(other.id_, 0)) {}
  AsioSudo& operator=(AsioSudo&&) = delete;
  ~AsioSudo();

 private:
  std::shared_ptr<AsioRuntime::Core> core_;
  std::uint64_t id_;
};

}  // namespace talaria
