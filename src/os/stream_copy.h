// Copying bytes between a program's own streams and a socket, for a program that does nothing else:
// every call here waits.
#pragma once

namespace talaria::os {

// Both ways at once, until either side ends.
void copy_both_ways(int in, int out, int socket);

// All of `in`, to its end; then all that comes back.
void copy_there_and_back(int in, int out, int socket);

}  // namespace talaria::os
