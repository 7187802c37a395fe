// What a TlsTrust is made of: for the few files that see OpenSSL, whose headers take long to
// compile.
#pragma once

#include "http/tls_trust.h"
#include "tls/openssl.h"

namespace talaria::http {

struct TlsTrust::Context {
  boost::asio::ssl::context ssl{boost::asio::ssl::context::tls_client};
};

}  // namespace talaria::http
