// Tokens: who may use the gateway of a home. Only the digest of a token is stored.
#pragma once

#include <talaria/error.h>
#include <talaria/export.h>
#include <talaria/sandbox.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

struct NewToken {
  TokenInfo info = {};
  std::string token = {};  // show it once: it is not stored
};

// For one thread at a time; several programs may use the same home.
class TALARIA_API Tokens {
 public:
  explicit Tokens(std::string home);
  Tokens(Tokens&& other) noexcept;
  ~Tokens();

  // `user` empty: the same as the name. bad_request: the name is invalid, or exists already.
  Result<NewToken> add(std::string name, std::string user, TokenScope scope);
  // Valid ones; `all`: also revoked ones.
  Result<std::vector<TokenInfo>> list(bool all = false);
  Result<TokenInfo> revoke(const std::string& name);
  // The gateway applies it from the next request on.
  Result<TokenInfo> limit(const std::string& name, const TokenLimits& limits);

  // not_found: it is unknown or revoked. Takes the same time for any wrong token.
  Result<TokenInfo> find(std::string_view token);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace talaria
