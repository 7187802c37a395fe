// Who we are to Modal: what the settings say, else a profile of the file that Modal's own programs
// keep (~/.modal.toml), as they find it.
#pragma once

#include <string>

#include "base/result.h"
#include "base/secret.h"

namespace talaria::environment::modal {

struct ModalAccount {
  Secret token_id;
  Secret token_secret;
  std::string server_url;
  std::string environment;            // Modal's word for a part of a workspace; empty: the usual
  std::string image_builder_version;  // empty: the service says

  // Which account it is; neither token can be read from it.
  std::string identity() const;
};

// What the settings say. What they do not is the profile's.
struct ModalWish {
  Secret token_id;  // both, or neither counts
  Secret token_secret;
  std::string server_url;
  std::string environment;
  std::string image_builder_version;
  std::string profile;      // of the file; empty: the one that is active
  std::string config_path;  // the file; empty: there is none
};

// The error says what is missing, and where to put it.
Result<ModalAccount> find_modal_account(const ModalWish& wish);

}  // namespace talaria::environment::modal
