// The runner as a program: how it is started, what it keeps in its directory, how it ends.
//
//   DIR/link-v1.sock   where controllers connect (v1: the protocol's major, so that runners of
//                      different majors live beside each other)
//   DIR/runner-v1.lock held as long as the runner lives
//   DIR/runner-v1      who it is: pid, instance, version, one per line
//   DIR/runner.log     what it had to say
//   DIR/sessions/      session states; DIR/spill/ output; DIR/prelude/ texts for waiting shells
#pragma once

namespace talaria {

// `talaria-runner serve DIR LIFETIME_SECONDS`: starts the runner detached from its caller and
// returns once it serves. Prints "ready INSTANCE" or one line that says why not. If one serves
// there already, that one's instance.
int serve_main(int argc, char** argv);

// `talaria-runner supervise DIR LIFETIME_SECONDS`: the detached process itself. Says "ready ..." on
// descriptor 3.
int supervise_main(int argc, char** argv);

}  // namespace talaria
