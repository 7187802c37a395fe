// What is run in a sandbox where a command could do harm, so that a gateway judges each one by its
// text. All of it stands there to be read, in lines of which a judge (policy/guard) makes what bash
// makes of them, so that the verdict is that of the command alone. What a session keeps is in a
// file of the sandbox's home. The price: an EXIT trap of the command's takes the place of ours, and
// then nothing of that command is kept. No I/O.
#pragma once

#include <string>

#include "environment/plain/plain_script.h"

namespace talaria::environment::managed {

// Its output is for a PlainReader; its input is the command's own.
std::string judged_script(const plain::PlainCall& call);

}  // namespace talaria::environment::managed
