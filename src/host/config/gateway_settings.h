// The settings of the gateway (`talaria serve`): what those who use it may ask for.
#pragma once

#include <array>

#include "host/config/setting.h"

namespace talaria::host {

inline constexpr auto kGatewaySettings = [] {
  using enum SettingType;
  using enum Standing;
  return std::to_array<Setting>({
      {"TALARIA_GATEWAY_MAX_CPU",
       "gateway.max_cpu",
       number,
       "0",
       "CPUs a sandbox of the gateway may ask for; 0: as many as it likes",
       {.standing = works}},
      {"TALARIA_GATEWAY_MAX_MEMORY",
       "gateway.max_memory",
       integer,
       "0",
       "memory it may ask for, MB; 0: any",
       {.standing = works}},
      {"TALARIA_GATEWAY_MAX_DISK",
       "gateway.max_disk",
       integer,
       "0",
       "disk it may ask for, MB; 0: any",
       {.standing = works}},
      {"TALARIA_GATEWAY_IMAGES",
       "gateway.images",
       list,
       "[]",
       "images it may name beside the configured one, as `python:3.*`; `*` is any text",
       {.standing = works, .default_note = "any image"}},
  });
}();

}  // namespace talaria::host
