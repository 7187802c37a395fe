#include <talaria/tokens.h>

#include <chrono>
#include <optional>
#include <utility>

#include "base/sha256.h"
#include "host/approval_queue.h"
#include "host/store/token_store.h"
#include "os/random.h"

namespace talaria {
namespace {

// tal_<id>_<secret>: the id finds the row, the secret proves it.
constexpr std::string_view kPrefix = "tal_";
constexpr std::size_t kIdDigits = 16;
constexpr std::size_t kTokenBytes = 32;

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@-") ==
             std::string_view::npos;
}

// Looks at every character, whatever the first ones are.
bool same(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (one[i] ^ other[i]));
  }
  return difference == 0;
}

Error unknown_token() { return Error(ErrorKind::not_found, "no such token"); }

}  // namespace

struct Tokens::State {
  std::string home;
  std::optional<host::TokenStore> store;

  // The valid one of that name.
  Result<TokenInfo> named(const std::string& name) {
    const auto opened = ready();
    if (!opened) return fail(opened.error());
    auto tokens = (*opened)->list(true);
    if (!tokens) return fail(tokens.error());
    bool revoked = false;
    for (host::StoredToken& one : *tokens) {
      if (one.info.name != name) continue;
      if (!one.info.revoked) return std::move(one.info);
      revoked = true;
    }
    if (revoked) {
      return fail(ErrorKind::not_found, "token '" + name + "' is revoked. `talaria token add " +
                                            name + "` creates a new one.");
    }
    return fail(ErrorKind::not_found,
                "unknown token '" + name + "'. `talaria token list` lists all tokens.");
  }

  Result<host::TokenStore*> ready() {
    if (!store) {
      auto opened = host::TokenStore::open(home);
      if (!opened) return fail(opened.error());
      store.emplace(std::move(*opened));
    }
    return &*store;
  }
};

Tokens::Tokens(std::string home) : state_(std::make_unique<State>()) {
  state_->home = std::move(home);
}
Tokens::Tokens(Tokens&& other) noexcept = default;
Tokens::~Tokens() = default;

Result<NewToken> Tokens::add(std::string name, std::string user, TokenScope scope) {
  if (const auto allowed = host::refuse_commands(); !allowed) return fail(allowed.error());
  if (user.empty()) user = name;
  for (const std::string& word : {name, user}) {
    if (is_name(word)) continue;
    return fail(
        ErrorKind::bad_request,
        "the name of a token or user must be 1 to 64 letters, digits, '_', '.', '@' or '-', got '" +
            word + "'");
  }
  const auto store = state_->ready();
  if (!store) return fail(store.error());
  const std::string id = os::random_hex(kIdDigits / 2);
  const std::string secret = os::random_hex(kTokenBytes);
  NewToken made{.info = {.id = id,
                         .name = std::move(name),
                         .user = std::move(user),
                         .scope = std::move(scope),
                         .created = std::chrono::system_clock::now()},
                .token = std::string(kPrefix) + id + "_" + secret};
  const auto added = (*store)->add({.info = made.info, .hash = sha256_hex(secret)});
  if (!added) return fail(added.error());
  if (!*added) {
    return fail(ErrorKind::bad_request,
                "a token named '" + made.info.name +
                    "' already exists: revoke it first, or choose another name");
  }
  return made;
}

Result<std::vector<TokenInfo>> Tokens::list(bool all) {
  const auto store = state_->ready();
  if (!store) return fail(store.error());
  auto found = (*store)->list(all);
  if (!found) return fail(found.error());
  std::vector<TokenInfo> shown;
  for (host::StoredToken& one : *found) shown.push_back(std::move(one.info));
  return shown;
}

Result<TokenInfo> Tokens::revoke(const std::string& name) {
  auto token = state_->named(name);
  if (!token) return token;
  const auto done = state_->store->revoke(name);
  if (!done) return fail(done.error());
  return token;
}

Result<TokenInfo> Tokens::limit(const std::string& name, const TokenLimits& limits) {
  auto token = state_->named(name);
  if (!token) return token;
  TokenScope& scope = token->scope;
  scope.max_sandboxes = limits.max_sandboxes.value_or(scope.max_sandboxes);
  scope.max_execs = limits.max_execs.value_or(scope.max_execs);
  scope.requests_per_minute = limits.requests_per_minute.value_or(scope.requests_per_minute);
  const auto done = state_->store->set_scope(token->id, scope);
  if (!done) return fail(done.error());
  return token;
}

Result<TokenInfo> Tokens::find(std::string_view token) {
  const auto store = state_->ready();
  if (!store) return fail(store.error());
  const bool formed = token.starts_with(kPrefix) &&
                      token.size() == kPrefix.size() + kIdDigits + 1 + 2 * kTokenBytes &&
                      token[kPrefix.size() + kIdDigits] == '_';
  if (!formed) return fail(unknown_token());
  auto found = (*store)->find(token.substr(kPrefix.size(), kIdDigits));
  if (!found) return fail(found.error());
  const std::string hash = sha256_hex(token.substr(kPrefix.size() + kIdDigits + 1));
  const std::string stored = *found ? (*found)->hash : std::string(hash.size(), '0');
  if (!same(hash, stored) || !*found) return fail(unknown_token());
  return std::move((*found)->info);
}

}  // namespace talaria
