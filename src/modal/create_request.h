// What `talaria-modal create` is asked for: the JSON on its standard input.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace talaria::modal {

struct CreateRequest {
  std::string app;
  std::string image_id;                          // one that exists, or
  std::vector<std::vector<std::string>> layers;  // lines of a Dockerfile; the first has FROM
  std::string name;                              // may be empty
  std::map<std::string, std::string> tags;
  std::vector<std::string> command;
  std::optional<double> cpus;
  std::optional<std::uint32_t> memory_mb;
  std::optional<std::uint32_t> disk_mb;
  std::uint32_t timeout_s = 0;  // of its whole life
  std::uint32_t idle_timeout_s = 0;
  std::string workdir;
  std::map<std::string, std::string> env;
  std::chrono::seconds start_limit{300};
};

Result<CreateRequest> parse_create_request(std::string_view text);

}  // namespace talaria::modal
