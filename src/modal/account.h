// Account: who we are to Modal and where that is, from the environment variables of the process.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"

namespace talaria::modal {

// Where a service listens.
struct Address {
  std::string host;  // an IPv6 one without its brackets
  std::uint16_t port = 443;
  bool plain = false;  // without TLS

  bool operator==(const Address&) const = default;
  std::string target() const;  // as gRPC expects it
};

// http only for this machine itself: a token goes along with every call.
Result<Address> parse_address(std::string_view url);

// The router of a sandbox. Its URL always says https; where the service itself is on this machine
// and without TLS, it is meant without.
Result<Address> parse_router_address(std::string_view url, const Address& service);

bool is_this_machine(std::string_view host);

struct Account {
  std::string token_id;
  Secret token_secret;
  Address server;
  std::string environment;            // empty: the workspace's default
  std::string image_builder_version;  // empty: the service is asked
  std::optional<std::chrono::seconds> most_throttled;
};

// `variable` gives a variable's value, empty if there is none.
Result<Account> read_account(const std::function<std::string(const char*)>& variable);

}  // namespace talaria::modal
