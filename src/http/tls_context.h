// What a TlsTrust is made of: for the few files that see OpenSSL, whose headers take long to
// compile.
#pragma once

#include <openssl/crypto.h>

#include <boost/asio/ssl.hpp>

#include "http/tls_trust.h"

namespace talaria::http {

// Its clean-up at exit would take from under us what our threads still use.
inline bool initialise_openssl() {
  return ::OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr) == 1;
}

struct TlsTrust::Context {
  bool initialised = initialise_openssl();  // before the first use
  boost::asio::ssl::context ssl{boost::asio::ssl::context::tls_client};
};

}  // namespace talaria::http
