// The version of this program, as every interface shows it, and what this build is made of.
#pragma once

#include <talaria/export.h>
#include <talaria/version_number.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

inline constexpr std::string_view kVersion = "0.1.0";

// A runner that can be delivered to a target.
struct EmbeddedRunner {
  std::string_view architecture = {};  // as `uname -m` says it
  std::string_view digest = {};        // SHA-256, in hex
  std::size_t bytes = 0;
};

struct BuildFacts {
  std::string_view version = {};
  std::string link_protocol = {};  // MAJOR.MINOR
  std::vector<EmbeddedRunner> runners = {};
};

TALARIA_API BuildFacts build_facts();

// TALARIA_VERSION_NUMBER of the library that this program runs with, which may be another than that
// of the headers it was compiled with.
TALARIA_API unsigned library_version_number();

// Until 1.0 a minor version may change anything.
constexpr bool is_compatible(unsigned headers, unsigned library) {
  return headers / 100 == library / 100;
}

}  // namespace talaria
