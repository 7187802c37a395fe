// Carrying a link over a program's standard input and output: what `docker exec -i` or `ssh` run at
// the target. Bytes are only copied, to and from the runner's socket.
#pragma once

namespace talaria::runner {

// `talaria-runner connect DIR LIFETIME_SECONDS NONCE`: starts a runner if none serves DIR, prints
// the preamble line with NONCE, then copies both ways until either side ends.
//
// `talaria-runner batch DIR LIFETIME_SECONDS NONCE`: the same for one request and its answer: takes
// all of standard input first, then prints what comes back.
int bridge_main(int argc, char** argv);

}  // namespace talaria::runner
