// `talaria call --lines`: serves one client that writes requests to our standard input and reads
// answers from our standard output. Many calls run at once; answers come in the order they end.
//
// At the end of input, calls in progress are completed. A stop signal, or a client that no longer
// reads, cancels them and kills what they started.
#pragma once

#include "api/asio_runtime.h"
#include "base/task.h"
#include "front/stdio.h"

namespace talaria::front::lines {

// Returns the exit code: 0, 1 if the client stopped reading, 128+N after signal N. `runtime` must
// outlive it.
Task<int> serve_lines(AsioRuntime& runtime, Stdio stdio);

}  // namespace talaria::front::lines
