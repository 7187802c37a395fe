// Where a sandbox is at its target. In a container it is all of that. Elsewhere (this machine, a
// host) it is a directory, which is also the HOME of its commands: no isolation, only a place.
#pragma once

#include <talaria/sandbox.h>

#include <optional>
#include <string>
#include <string_view>

namespace talaria::sandboxes {

// Whether a sandbox at that target is a container of its own.
bool is_container_target(std::string_view target);

// Whether an image of this name is a file or directory of this machine: "/" would be all of it.
bool is_image_by_path(std::string_view target, std::string_view image);

// Where a command runs. In a directory, the sandbox's own cwd, which was meant for some other
// machine ("/root"), stands for it, and so do `~` and the empty path.
std::string exec_directory(const SandboxInfo& sandbox, const std::optional<std::string>& asked);

}  // namespace talaria::sandboxes
