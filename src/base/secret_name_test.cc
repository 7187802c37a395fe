#include "base/secret_name.h"

#include <string>

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(SecretName, TheEndOfANameDecides) {
  const struct {
    SecretName kind;
    std::initializer_list<const char*> names;
  } cases[] = {
      {SecretName::password,
       {"PASSWORD", "DB_PASSWORD", "db-password", "dbPassword", "spring.datasource.password",
        "PGPASSWORD", "MYSQL_PWD", "pwd", "Pwd", "SMTP_PASS", "sshPassphrase", "DB_PASSWORD_PROD",
        "admin_passwd_2", "SSHPASS"}},
      {SecretName::secret, {"SECRET",          "CLIENT_SECRET",
                            "clientSecret",    "STRIPE_SECRET_KEY",
                            "SECRET_KEY_BASE", "aws_secret_access_key",
                            "AWS_ACCESS_KEY",  "API_KEY",
                            "apiKey",          "APIKey",
                            "apikey",          "X-Api-Key",
                            "ACME_API_KEY_2",  "OPENAI_API_KEYS",
                            "PRIVATE_KEY",     "RAILS_MASTER_KEY",
                            "AccountKey",      "SharedAccessKey",
                            "TS_AUTHKEY",      "NEW_RELIC_LICENSE_KEY"}},
      {SecretName::token,
       {"TOKEN", "NPM_TOKEN", "authToken", "npm_config__authToken", "SYSTEM_ACCESSTOKEN",
        "refresh_tokens", "CI_JOB_TOKEN", "GITHUB_TOKEN_1"}},
      {SecretName::key,
       {"FAL_KEY", "OPENAI_KEY", "GOOGLE_CREDENTIALS", "COMPOSER_AUTH", "SENTRY_DSN",
        "AZURE_DEVOPS_EXT_PAT", "SLACK_WEBHOOK_URL", "AZURE_STORAGE_CONNECTION_STRING",
        "SCW_ACCESS_KEY_ID", "VAULT_SECRET_ID", "SESSION_JWT"}},
      {SecretName::none,
       {"",
        "PATH",
        "HOME",
        "KEY",
        "PASS",
        "PWD",
        "OLDPWD",
        "MAX_TOKENS",
        "max_token",
        "TOKENIZERS_PARALLELISM",
        "TOKEN_FILE",
        "API_KEY_PATH",
        "PASSWORD_STORE_DIR",
        "SSH_AUTH_SOCK",
        "GIT_ASKPASS",
        "GIT_AUTHOR_NAME",
        "XAUTHORITY",
        "SECRET_NAME",
        "SECRETS_MANAGER_REGION",
        "TOKEN_TTL",
        "KITTY_PUBLIC_KEY",
        "STRIPE_PUBLISHABLE_KEY",
        "CACHE_KEY",
        "GPG_KEY",
        "nextPageToken",
        "eos_token",
        "first_pass",
        "compass",
        "monkey",
        "author",
        "key_id",
        "DATABASE_URL"}},
  };
  for (const auto& c : cases) {
    for (const char* name : c.names) EXPECT_EQ(secret_name(name), c.kind) << name;
  }
  EXPECT_EQ(secret_name(std::string(200, 'A') + "_TOKEN"), SecretName::none);
}

}  // namespace
}  // namespace talaria
