// Checks of what an embedding program gives us, before anything is started.
#pragma once

#include <talaria/options.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace talaria {

// A NUL byte ends every string of the kernel.
Result<void> check_text(const std::string& what, std::string_view text);
// The name of a task.
Result<void> check_task(std::string_view task);
// Each NAME=value.
Result<void> check_variables(const std::vector<std::string>& variables);
// Without the settings, which the configuration checks.
Result<void> check_options(const Options& options);

}  // namespace talaria
