// TokenStore: who may use the gateway, in the database of the home.
#pragma once

#include <talaria/sandbox.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/store/database.h"

namespace talaria::host {

struct StoredToken {
  TokenInfo info;
  std::string hash;
};

class TokenStore {
 public:
  static Result<TokenStore> open(const std::string& home);

  // False: there is one of that name.
  Result<bool> add(const StoredToken& token);
  Result<std::vector<StoredToken>> list(bool all);
  // Nothing: there is none of that id, or it was revoked.
  Result<std::optional<StoredToken>> find(std::string_view id);
  Result<bool> revoke(std::string_view name);
  Result<void> set_scope(std::string_view id, const TokenScope& scope);
  // Another number than before: another program has changed something.
  Result<std::uint64_t> change_number() { return database_.change_number(); }

 private:
  explicit TokenStore(Database database) : database_(std::move(database)) {}

  Database database_;
};

}  // namespace talaria::host
