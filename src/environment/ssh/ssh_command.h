// How the system's ssh is called for a target. What the person's own ssh configuration says wins
// over our defaults, which on the command line would win over it: so ssh itself is asked what it
// would do with ours behind it, and only what is ours then is passed. No I/O here.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "environment/target_config.h"

namespace talaria::environment::ssh {

// Whether host and user are set, and ssh would not take them for options.
Result<void> check_ssh_config(const SshConfig& config);

// The longest directory for control sockets: to its socket's path ssh adds 17 bytes while it makes
// it, and one has 108 at most, on some systems 104, with the zero at the end.
inline constexpr std::size_t kControlNameBytes = 16;
inline constexpr std::size_t kLongestControlDirectory = 103 - 17 - kControlNameBytes - 1;

// The name of the control socket of this target and no other.
std::string control_name(const SshConfig& config);

// A configuration that is what ssh would use, with our defaults behind it.
std::string layered_config(const SshConfig& config, const std::string& control_path);

// What to ask about it: `ssh -G -F FILE ...`.
std::vector<std::string> question(const SshConfig& config, const std::string& config_path);

struct SshCommand {
  std::string shared;        // a shell command: over the one connection to the target
  std::string direct;        // likewise, over one of its own
  std::string control_path;  // of the shared one; empty: the user has configured another
  std::vector<std::string> stop_sharing;  // has the next one be made anew; those who use it keep it
  std::chrono::seconds connect_timeout{10};
};

// From the answer to that question.
SshCommand ssh_command(const SshConfig& config, const std::string& control_path,
                       std::string_view answer);

}  // namespace talaria::environment::ssh
