// TlsTrust: whose certificates count. The authorities are read when they are first needed.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace talaria::http {

class TlsTrust {
 public:
  struct Context;  // OpenSSL's

  // `ca_file`: authorities to trust in addition to the system's; empty: none.
  explicit TlsTrust(std::string ca_file = {});
  ~TlsTrust();

  Result<Context*> context();

 private:
  std::string ca_file_;
  std::unique_ptr<Context> context_;
};

}  // namespace talaria::http
