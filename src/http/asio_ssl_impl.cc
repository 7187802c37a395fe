// The non-template code of Asio's TLS, compiled once (BOOST_ASIO_SEPARATE_COMPILATION).
#include "tls/openssl.h"

// Behind what renames the functions of OpenSSL.
#include <boost/asio/ssl/impl/src.hpp>
