#include "host/shared/shared_options.h"

namespace talaria::host {

SharedOptions shared_options(const Config& config, const Caller& caller) {
  SharedOptions options{.home = config.home, .credential_files = config.credential_files};
  for (const std::string& written : config.skill_directories) {
    const bool is_ours = !written.starts_with('/') && !written.starts_with('~');
    options.skill_directories.push_back(
        caller.absolute(is_ours ? config.home + "/" + written : written));
  }
  return options;
}

}  // namespace talaria::host
