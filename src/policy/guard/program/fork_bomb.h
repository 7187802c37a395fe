// Programs that do nothing but start themselves again.
#pragma once

#include "policy/guard/program/program_code.h"

namespace talaria::guard {

// Whether the call of fork is all that an endless loop does: `fork while 1`, `while True:
// os.fork()`, `loop { fork }`. `call`: its name with all that belongs to it, without brackets.
bool forks_forever(const ProgramCode& code, TokenRange call);

}  // namespace talaria::guard
