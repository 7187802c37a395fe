// What tests of pools share.
#pragma once

#include <cstdint>

#include <boost/json/parse.hpp>

#include "support/lines_client.h"
#include "support/world.h"

namespace talaria::test {

// How many wait, as `env list` counts them; of pools that a program fills, or also of others.
inline std::int64_t waiting_in_pools(World& world, bool filled = true) {
  const json::object list = json::parse(world.run({"env", "list", "--json"}).out).as_object();
  std::int64_t count = 0;
  if (!list.contains("pools")) return 0;
  for (const json::value& pool : list.at("pools").as_array()) {
    if (!filled || pool.at("filled").as_bool()) count += pool.at("waiting").to_number<int>();
  }
  return count;
}

}  // namespace talaria::test
