// Whether an engine can limit a container's disk, remembered for a day: finding out makes a
// container.
#pragma once

#include <optional>
#include <string>

namespace talaria {

// The file that says so for an Engine::identity(), below <home>/talaria.
std::string disk_limit_note(const std::string& home, const std::string& engine);

std::optional<bool> read_disk_limit(const std::string& note);
void write_disk_limit(const std::string& note, bool can);

}  // namespace talaria
