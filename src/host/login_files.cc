#include "host/login_files.h"

#include "host/withheld.h"

namespace talaria::host {

environment::LoginFiles login_files(const Config& config) {
  return {.files = config.shell_init_files,
          .bashrc = config.auto_source_bashrc,
          .withheld = withheld_patterns()};
}

}  // namespace talaria::host
