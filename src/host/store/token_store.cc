#include "host/store/token_store.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "host/store/home_database.h"
#include "host/store/stored_values.h"
#include "json/fields.h"

namespace talaria::host {
namespace {

namespace json = boost::json;

std::string text_of(const TokenScope& scope) {
  return json::serialize(
      json::object{{"targets", json::array(scope.targets.begin(), scope.targets.end())},
                   {"images", json::array(scope.images.begin(), scope.images.end())},
                   {"sandboxes", scope.max_sandboxes},
                   {"execs", scope.max_execs},
                   {"rate", scope.requests_per_minute},
                   {"approve", scope.approve}});
}

std::size_t count_in(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (!value) return 0;
  if (value->is_uint64()) return value->get_uint64();
  return value->is_int64() && value->get_int64() > 0 ? static_cast<std::size_t>(value->get_int64())
                                                     : 0;
}

TokenScope scope_of(const std::string& text) {
  const json::value value = json_of(text);
  if (!value.is_object()) return {};
  const json::object& object = value.get_object();
  const auto texts = [&](std::string_view name) {
    const json::value* const list = object.if_contains(name);
    return list ? texts_of(*list) : std::vector<std::string>();
  };
  return {.targets = texts("targets"),
          .images = texts("images"),
          .max_sandboxes = count_in(object, "sandboxes"),
          .max_execs = count_in(object, "execs"),
          .requests_per_minute = count_in(object, "rate"),
          .approve = flag_field(object, "approve")};
}

StoredToken read_token(const Query& row) {
  StoredToken token{.info = {.id = row.text(0),
                             .name = row.text(1),
                             .user = row.text(2),
                             .scope = scope_of(row.text(4)),
                             .created = time_of(row.number(5))},
                    .hash = row.text(3)};
  if (!row.is_null(6)) token.info.revoked = time_of(row.number(6));
  return token;
}

}  // namespace

Result<TokenStore> TokenStore::open(const std::string& home) {
  auto database = open_home_database(home);
  if (!database) return fail(database.error());
  return TokenStore(std::move(*database));
}

Result<bool> TokenStore::add(const StoredToken& token) {
  const auto added = database_.run(
      "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, NULL) ON CONFLICT (name) WHERE revoked IS NULL "
      "DO NOTHING",
      token.info.id, token.info.name, token.info.user, token.hash, text_of(token.info.scope),
      stored(token.info.created));
  if (!added) return fail(added.error());
  return database_.changes() == 1;
}

Result<std::vector<StoredToken>> TokenStore::list(bool all) {
  return database_.all(
      read_token,
      "SELECT id, name, user, hash, scope, created, revoked FROM tokens WHERE revoked IS "
      "NULL OR ? ORDER BY created, id",
      all);
}

Result<std::optional<StoredToken>> TokenStore::find(std::string_view id) {
  return database_.first(
      read_token,
      "SELECT id, name, user, hash, scope, created, revoked FROM tokens WHERE id = ? AND "
      "revoked IS NULL",
      id);
}

Result<bool> TokenStore::revoke(std::string_view name) {
  const auto done = database_.run(
      "UPDATE tokens SET revoked = ? WHERE name = ? AND revoked IS NULL", now_stored(), name);
  if (!done) return fail(done.error());
  return database_.changes() > 0;
}

Result<void> TokenStore::set_scope(std::string_view id, const TokenScope& scope) {
  return database_.run("UPDATE tokens SET scope = ? WHERE id = ?", text_of(scope), id);
}

}  // namespace talaria::host
