// Reads what the configuration says about targets other than this machine
// (environment/target_config.h) and about our own gateway.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "environment/target_config.h"

namespace talaria::host {

// The most that a client of our own gateway may ask for; 0: no limit.
struct GatewayConfig {
  double max_cpu = 0;
  std::int64_t max_memory_mb = 0;
  std::int64_t max_disk_mb = 0;
  std::vector<std::string> images;  // patterns; empty: any
  // Of tokens that have none of their own; 0: none.
  std::size_t max_sandboxes = 0;
  std::size_t max_execs = 0;
  std::size_t requests_per_minute = 0;
};

struct Config;
struct Resolution;

// Fills those parts of `config`, and adds a notice for each invalid entry, which is left out.
void read_targets(const Resolution& resolution, Config& config);

// Whether the programs of a home use the same environment of a task, not one each.
bool shares_environments(const Config& config);

}  // namespace talaria::host
