// Which login files a target's sessions start with, as the configuration says.
#pragma once

#include "environment/environment.h"
#include "host/config.h"

namespace talaria::host {

environment::LoginFiles login_files(const Config& config);

}  // namespace talaria::host
