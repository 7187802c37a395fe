#include "tools/masked_result.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <boost/json/value.hpp>

#include "policy/redact.h"

namespace talaria::tool {
namespace {

constexpr auto kMasked =
    std::to_array<std::string_view>({"error", "notices", "message", "command", "description"});

void mask_value(json::value& value, bool named) {
  if (auto* text = value.if_string()) {
    if (named) *text = policy::redact(std::string_view(*text));
  } else if (auto* list = value.if_array()) {
    for (json::value& item : *list) mask_value(item, named);
  } else if (auto* object = value.if_object()) {
    mask_result(*object);
  }
}

}  // namespace

void mask_result(json::object& result) {
  for (auto& [name, value] : result) {
    mask_value(value, std::ranges::find(kMasked, std::string_view(name)) != kMasked.end());
  }
}

}  // namespace talaria::tool
