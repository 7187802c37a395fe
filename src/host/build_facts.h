// What this build of Talaria is made of.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

struct EmbeddedRunner {
  std::string_view architecture;  // as `uname -m` says it
  std::string_view digest;        // SHA-256, in hex
  std::size_t bytes = 0;
};

struct BuildFacts {
  std::string_view version;
  std::string link_protocol;  // MAJOR.MINOR
  std::vector<EmbeddedRunner> runners;
};

BuildFacts build_facts();

}  // namespace talaria
