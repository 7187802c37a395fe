// Where a sandbox is at its target: a whole container, or elsewhere (this machine, a host) a
// directory, which is also the HOME of its commands and isolates nothing.
#pragma once

#include <talaria/sandbox.h>

#include <optional>
#include <string>
#include <string_view>

namespace talaria::sandboxes {

// Whether a sandbox at that target is a container of its own.
bool is_container_target(std::string_view target);

// Whether this image is a file or directory of this machine. "/" would be all of it.
bool is_image_by_path(std::string_view target, std::string_view image);

// Where a command runs. If the sandbox is a directory, then `~`, the empty path and the cwd that
// the client gave the sandbox (such as "/root") mean that directory.
std::string exec_directory(const SandboxInfo& sandbox, const std::optional<std::string>& asked);

}  // namespace talaria::sandboxes
