// The program that runs, to start it again in another mode.
#pragma once

#include <cstdlib>
#include <string>

namespace talaria::os {

// Overrides what own_program() says: under an emulator /proc/self/exe is the emulator itself.
inline constexpr const char* kOwnProgramVariable = "TALARIA_RUNNER_PROGRAM";

inline std::string own_program() {
  if (const char* given = std::getenv(kOwnProgramVariable)) return given;
  return "/proc/self/exe";  // the file may have been replaced or removed since: this still works
}

}  // namespace talaria::os
