#include "host/managed_token.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "base/text.h"
#include "os/file.h"

namespace talaria::host {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxAuthFile = 1u << 20;

const json::value* member(const json::value* value, std::string_view key) {
  const json::object* const object = value ? value->if_object() : nullptr;
  return object ? object->if_contains(key) : nullptr;
}

}  // namespace

Secret managed_token(const std::string& home, const Secret& configured) {
  if (!configured.empty()) return configured;
  const auto text = os::read_file(home + "/auth.json", kMaxAuthFile);
  if (!text) return {};
  boost::system::error_code no_json;
  const json::value file = json::parse(*text, no_json);
  if (no_json) return {};
  const json::value* const token =
      member(member(member(&file, "providers"), "nous"), "access_token");
  if (!token || !token->is_string()) return {};
  return Secret(trim(token->get_string()));
}

}  // namespace talaria::host
