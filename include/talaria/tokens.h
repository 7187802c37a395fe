// Tokens: who may use the gateway of a home. Of a token only a digest is kept.
#pragma once

#include <talaria/error.h>
#include <talaria/sandbox.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

struct NewToken {
  TokenInfo info;
  std::string token;  // to be shown once: nobody can find it out later
};

// For one thread at a time; several programs may use the same home.
class Tokens {
 public:
  explicit Tokens(std::string home);
  Tokens(Tokens&& other) noexcept;
  ~Tokens();

  // `user` empty: the same as the name. bad_request: there is one of that name, or it is no name.
  Result<NewToken> add(std::string name, std::string user, TokenScope scope);
  // Those that count; `all`: also those that were revoked.
  Result<std::vector<TokenInfo>> list(bool all = false);
  Result<TokenInfo> revoke(const std::string& name);

  // Whose it is; not_found: nobody's. Takes as long whether half of it is right or nothing.
  Result<TokenInfo> find(std::string_view token);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace talaria
