// The machine this process runs on.
#pragma once

#include <sys/utsname.h>

#include <string>

namespace talaria::os {

// The kind of processor, as `uname -m` says it.
inline std::string machine_name() {
  utsname machine{};
  ::uname(&machine);
  return machine.machine;
}

}  // namespace talaria::os
