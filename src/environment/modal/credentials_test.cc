#include "environment/modal/credentials.h"

#include <gtest/gtest.h>

#include "testing/temporary_directory.h"

namespace talaria::environment::modal {
namespace {

constexpr const char* kProfiles = R"([work]
token_id = "ak-work"
token_secret = "as-work"
server_url = "https://modal.example"
environment = "dev"
image_builder_version = "2025.06"

[home]
token_id = "ak-home"
token_secret = "as-home"
active = true
)";

class ModalCredentialsTest : public testing::Test {
 protected:
  // "ID SECRET URL ENVIRONMENT VERSION", or the error's words.
  static std::string found(const ModalConfig& config) {
    const auto account = find_modal_account(config);
    if (!account) return account.error().message();
    return std::string(account->token_id.view()) + " " + std::string(account->token_secret.view()) +
           " " + account->server_url + " " + account->environment + " " +
           account->image_builder_version;
  }
  ModalConfig config(const std::string& file) {
    return {.config_path = directory_.write("modal.toml", file)};
  }

  test::TemporaryDirectory directory_;
};

TEST_F(ModalCredentialsTest, SettingsCountBeforeTheFile) {
  ModalConfig both = config(kProfiles);
  both.token_id = Secret("ak-1");
  both.token_secret = Secret("as-1");
  EXPECT_EQ(found(both), "ak-1 as-1 https://api.modal.com  ");
  both.server_url = "http://127.0.0.1:1";
  both.environment = "e";
  both.image_builder_version = "v";
  EXPECT_EQ(found(both), "ak-1 as-1 http://127.0.0.1:1 e v");
}

TEST_F(ModalCredentialsTest, TheProfileIsTheNamedTheActiveOrTheOnlyOne) {
  ModalConfig named = config(kProfiles);
  EXPECT_EQ(found(named), "ak-home as-home https://api.modal.com  ");
  named.profile = "work";
  EXPECT_EQ(found(named), "ak-work as-work https://modal.example dev 2025.06");
  named.server_url = "https://other.example";
  EXPECT_EQ(found(named), "ak-work as-work https://other.example dev 2025.06");
  EXPECT_EQ(found(config("[one]\ntoken_id = \"i\"\ntoken_secret = \"s\"\n")),
            "i s https://api.modal.com  ");
}

TEST_F(ModalCredentialsTest, WhatIsMissingIsSaidWithWhatToDo) {
  ModalConfig half;
  half.token_id = Secret("ak-1");
  ModalConfig other_half;
  other_half.token_secret = Secret("as-1");
  ModalConfig unknown = config(kProfiles);
  unknown.profile = "none";
  const struct {
    const char* name;
    ModalConfig config;
    const char* words;
    const char* advice = "Set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET";
  } cases[] = {
      {"nothing", {}, "no credentials were found"},
      {"no file", {.config_path = "/nowhere/.modal.toml"}, "no credentials were found"},
      {"no file that can be read", {.config_path = directory_.path()}, "profiles cannot be read"},
      {"half", half, "MODAL_TOKEN_SECRET is not", "Set MODAL_TOKEN_SECRET, too"},
      {"the other half", other_half, "MODAL_TOKEN_ID is not", "Set MODAL_TOKEN_ID, too"},
      {"an unknown profile", unknown, "has no such profile"},
      {"a profile without tokens", config("[a]\nactive = true\n"), "has no token_id"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string words = found(c.config);
    EXPECT_NE(words.find(c.words), std::string::npos) << words;
    EXPECT_NE(words.find(c.advice), std::string::npos) << words;
    EXPECT_EQ(words.find("as-1"), std::string::npos);
  }
  const std::string several = found(config("[a]\ntoken_id = \"i\"\n[b]\ntoken_id = \"j\"\n"));
  EXPECT_NE(several.find("is active (MODAL_PROFILE names one)"), std::string::npos) << several;
}

TEST_F(ModalCredentialsTest, AFileThatIsNoTomlIsNamedWithItsLine) {
  const std::string words = found(config("[a]\ntoken_secret = as-secret\n"));
  EXPECT_NE(words.find("modal.toml, line 2, is not valid TOML"), std::string::npos) << words;
  EXPECT_EQ(words.find("as-secret"), std::string::npos) << words;
  ModalConfig with_tokens = config("[a\n");
  with_tokens.token_id = Secret("i");
  with_tokens.token_secret = Secret("s");
  EXPECT_EQ(found(with_tokens), "i s https://api.modal.com  ");
}

TEST_F(ModalCredentialsTest, TheIdentityTellsNothing) {
  const ModalAccount account{.token_id = Secret("ak-1"), .server_url = "u", .environment = "e"};
  const ModalAccount other{.token_id = Secret("ak-2"), .server_url = "u", .environment = "e"};
  EXPECT_NE(account.identity(), other.identity());
  EXPECT_EQ(account.identity().find("ak-1"), std::string::npos);
}

}  // namespace
}  // namespace talaria::environment::modal
