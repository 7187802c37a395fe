// Url: an address on the web in its one normal form, so that the check and the connection
// use the same thing. Only http and https; what browsers forgive and parsers disagree about (a
// backslash, a space in the host) is refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria::http {

struct Url {
  std::string scheme;    // "http" or "https"
  std::string userinfo;  // "user:password", still encoded
  std::string host;      // lower case, IDNA, no final dot; of an IPv6 address without the brackets
  std::uint16_t port = 0;
  std::string target = "/";  // path and query, all ASCII

  std::string text() const;       // without userinfo
  std::string authority() const;  // host, and the port if it is not the usual one
  bool secure() const { return scheme == "https"; }
};

Result<Url> parse_url(std::string_view text);

// What `reference`, found at `base`, leads to: a redirect, a link.
Result<Url> resolve_url(const Url& base, std::string_view reference);

// The normal form of a host alone: 0x7f.1 is 127.0.0.1, Bücher.example is xn--bcher-kva.example.
Result<std::string> normal_host(std::string_view host);

// %41 is A. Other text stays.
std::string percent_decode(std::string_view text);
// For one value of a query.
std::string percent_encode(std::string_view text);

}  // namespace talaria::http
