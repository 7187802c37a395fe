// The account at Modal: from the settings, else from a profile of the file of Modal's own programs
// (~/.modal.toml), which is found as they find it.
#pragma once

#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "environment/target_config.h"

namespace talaria::environment::modal {

struct ModalAccount {
  Secret token_id;
  Secret token_secret;
  std::string server_url;
  std::string environment;            // a part of a workspace at Modal; empty: the default
  std::string image_builder_version;  // empty: the default of the service

  // Identifies the account; neither token can be read from it.
  std::string identity() const;
};

// The error says what is missing and how to set it.
Result<ModalAccount> find_modal_account(const ModalConfig& config);

}  // namespace talaria::environment::modal
