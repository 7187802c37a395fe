#include <talaria/version.h>

#include "environment/runner_image.h"

namespace talaria {

BuildFacts build_facts() {
  BuildFacts facts{.version = kVersion, .link_protocol = environment::runner_protocol()};
  for (const environment::RunnerImage& image : environment::runner_images()) {
    facts.runners.push_back({image.architecture, image.digest, image.bytes.size()});
  }
  return facts;
}

unsigned library_version_number() { return TALARIA_VERSION_NUMBER; }

}  // namespace talaria
