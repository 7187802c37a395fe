// Environments as tables for people and as JSON for programs.
#pragma once

#include <talaria/home.h>

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "front/cli/text_style.h"

namespace talaria::front::cli {

namespace json = boost::json;

std::string env_list_text(const std::vector<RunnerEntry>& entries,
                          const std::vector<KnownPlace>& places, const std::vector<PoolInfo>& pools,
                          const EnvironmentTotals& totals, const TextStyle& style);
json::object env_list_json(const std::vector<RunnerEntry>& entries,
                           const std::vector<KnownPlace>& places,
                           const std::vector<PoolInfo>& pools, const EnvironmentTotals& totals);

// One environment with its sessions and commands.
std::string env_text(const RunnerEntry& entry, const TextStyle& style);
json::object env_json(const RunnerEntry& entry);

// The same of something at another target.
std::string place_text(const KnownPlace& place);
json::object place_json(const KnownPlace& place);

std::string stopped_text(const std::vector<StoppedRunner>& all);
json::object stopped_json(const std::vector<StoppedRunner>& all);

}  // namespace talaria::front::cli
