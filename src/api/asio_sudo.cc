#include "api/asio_sudo.h"

#include "api/core.h"

namespace talaria {

AsioSudo::AsioSudo(const AsioRuntime& runtime, std::string session_key,
                   std::function<void(const SudoRequest&, SudoReply)> ask)
    : core_(runtime.core()) {
  id_ = core_->sudo_listeners().add(std::move(session_key), std::move(ask));
  core_->use_sudo_listeners();
}

AsioSudo::~AsioSudo() {
  if (!core_) return;
  core_->sudo_listeners().remove(id_);
  core_->use_sudo_listeners();
}

}  // namespace talaria
