#include "modal/account.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace talaria::modal {
namespace {

Result<Account> account_of(std::map<std::string, std::string> variables) {
  return read_account([&](const char* name) { return variables[name]; });
}

TEST(ModalAccount, AddressesAreReadStrictly) {
  const struct {
    const char* url;
    const char* target;  // empty: refused
    bool plain;
  } cases[] = {
      {"https://api.modal.com", "dns:///api.modal.com:443", false},
      {"https://api.modal.com/", "dns:///api.modal.com:443", false},
      {"https://api.modal.com:8443", "dns:///api.modal.com:8443", false},
      {"http://127.0.0.1:4000", "dns:///127.0.0.1:4000", true},
      {"http://localhost", "dns:///localhost:80", true},
      {"http://[::1]:4000", "dns:///[::1]:4000", true},
      {"https://[2001:db8::1]", "dns:///[2001:db8::1]:443", false},
      {"http://api.modal.com", "", false},
      {"http://127.0.0.1.example.com", "", false},
      {"http://localhost@example.com", "", false},
      {"api.modal.com", "", false},
      {"ftp://api.modal.com", "", false},
      {"https://", "", false},
      {"https://host:", "", false},
      {"https://host:0", "", false},
      {"https://host:70000", "", false},
      {"https://host:4x", "", false},
      {"https://[::1", "", false},
      {"https://[::1]x", "", false},
      {"https://host/path", "", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.url);
    const Result<Address> address = parse_address(c.url);
    EXPECT_EQ(address ? address->target() : "", c.target);
    if (address) {
      EXPECT_EQ(address->plain, c.plain);
    }
  }
}

// Only where the service itself is on this machine may the router's https mean none.
TEST(ModalAccount, ARouterIsPlainOnlyBesideAServiceThatIs) {
  const Address here{.host = "127.0.0.1", .port = 1, .plain = true};
  const Address there{.host = "api.modal.com"};
  EXPECT_TRUE(parse_router_address("https://127.0.0.1:2", here)->plain);
  EXPECT_FALSE(parse_router_address("https://127.0.0.1:2", there)->plain);
  EXPECT_FALSE(parse_router_address("https://worker.modal.com:2", here)->plain);
  EXPECT_FALSE(parse_router_address("http://127.0.0.1:2", here).has_value());
}

TEST(ModalAccount, ComesFromTheEnvironment) {
  const auto account = account_of({{"MODAL_TOKEN_ID", "ak-1"},
                                   {"MODAL_TOKEN_SECRET", "as-1"},
                                   {"MODAL_ENVIRONMENT", "dev"},
                                   {"MODAL_IMAGE_BUILDER_VERSION", "2025.06"},
                                   {"MODAL_MAX_THROTTLE_WAIT", "12"}});
  ASSERT_TRUE(account.has_value());
  EXPECT_EQ(account->token_secret.view(), "as-1");
  EXPECT_EQ(account->server.target(), "dns:///api.modal.com:443");
  EXPECT_EQ(account->environment, "dev");
  EXPECT_EQ(account->image_builder_version, "2025.06");
  EXPECT_EQ(account->most_throttled, std::chrono::seconds(12));
}

TEST(ModalAccount, NeedsBothHalvesOfAToken) {
  EXPECT_EQ(account_of({{"MODAL_TOKEN_ID", "ak-1"}}).error().kind(), ErrorKind::denied);
  EXPECT_EQ(account_of({{"MODAL_TOKEN_SECRET", "as-1"}}).error().kind(), ErrorKind::denied);
}

// gRPC ended the program, and nobody knew why.
TEST(ModalAccount, ATokenThatNoHeaderCanHaveIsRefused) {
  for (const char* const odd : {"as-\n1", "as-1\r\nx-more: 1", "as-\xc3\xa4", "as-\x7f"}) {
    for (const bool is_id : {true, false}) {
      const auto account = account_of(
          {{"MODAL_TOKEN_ID", is_id ? odd : "ak-1"}, {"MODAL_TOKEN_SECRET", is_id ? "as-1" : odd}});
      ASSERT_FALSE(account.has_value());
      EXPECT_EQ(account.error().kind(), ErrorKind::denied);
      EXPECT_EQ(account.error().message().find("as-"), std::string::npos);
    }
  }
}

TEST(ModalAccount, SaysWhichVariableIsWrongAndNoSecret) {
  const auto account = account_of({{"MODAL_TOKEN_ID", "ak-1"},
                                   {"MODAL_TOKEN_SECRET", "as-1"},
                                   {"MODAL_SERVER_URL", "http://example.com"}});
  ASSERT_FALSE(account.has_value());
  EXPECT_TRUE(account.error().message().starts_with("MODAL_SERVER_URL: 'http://example.com': "));
  EXPECT_EQ(account.error().message().find("as-1"), std::string::npos);
}

}  // namespace
}  // namespace talaria::modal
