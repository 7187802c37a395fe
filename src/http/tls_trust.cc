#include "http/tls_trust.h"

#include <array>
#include <utility>

#include "http/tls_context.h"
#include "tls/openssl.h"

namespace talaria::http {
namespace {

// Where distributions keep the authorities; OpenSSL itself knows only those of its builder's.
constexpr auto kAuthorities = std::to_array<const char*>({
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
});

}  // namespace

TlsTrust::TlsTrust(std::string ca_file) : ca_file_(std::move(ca_file)) {}

TlsTrust::~TlsTrust() = default;

Result<TlsTrust::Context*> TlsTrust::context() {
  if (context_) return context_.get();
  if (const auto loaded = tls::load_openssl(); !loaded) return fail(loaded.error());
  auto made = std::make_unique<Context>();
  SSL_CTX* const handle = made->ssl.native_handle();
  SSL_CTX_set_min_proto_version(handle, TLS1_2_VERSION);
  made->ssl.set_verify_mode(boost::asio::ssl::verify_peer);
  SSL_CTX_set_default_verify_paths(handle);
  for (const char* file : kAuthorities) {
    if (SSL_CTX_load_verify_locations(handle, file, nullptr) == 1) break;
  }
  if (!ca_file_.empty() && SSL_CTX_load_verify_locations(handle, ca_file_.c_str(), nullptr) != 1) {
    return fail(ErrorKind::system, ca_file_ + " has no certificates");
  }
  ERR_clear_error();  // of the files that are not there
  context_ = std::move(made);
  return context_.get();
}

}  // namespace talaria::http
