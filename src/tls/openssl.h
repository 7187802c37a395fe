// OpenSSL, of the system, loaded when it is first needed: most programs of talaria need none, and
// linked into each it would be half of what the start of a program costs. An update of the system
// is in effect with the next start.
//
// Included in place of the headers of OpenSSL and asio/ssl.hpp, or in front of others that include
// them: what was compiled without it lacks its functions when the program is linked.
#pragma once

#include "base/result.h"
#include "tls/openssl_functions.h"

// They get names of our own, which openssl.cc defines, so that a program that embeds talaria may
// link an OpenSSL.
#define TALARIA_PRAGMA(text) _Pragma(#text)
#define TALARIA_RENAME(name) TALARIA_PRAGMA(redefine_extname name talaria_##name)
TALARIA_OPENSSL_FUNCTIONS(TALARIA_RENAME)
#undef TALARIA_RENAME

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <boost/asio/ssl.hpp>

namespace talaria::tls {

// To be called before all else: without it the first function loads OpenSSL, and ends the program
// if that is missing. Fails (unavailable) if it is. Called again it does nothing.
Result<void> load_openssl();

}  // namespace talaria::tls
