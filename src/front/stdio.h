// The three descriptors a front end talks through. Borrowed; a test passes pipes instead.
#pragma once

#include <string_view>

namespace talaria {

struct Stdio {
  int in = 0;
  int out = 1;
  int err = 2;
};

// Writes all of it, waiting as long as it takes. False if the other side is gone.
bool write_fully(int fd, std::string_view text);

// "talaria: <message>" on its own line.
void complain(const Stdio& stdio, std::string_view message);

}  // namespace talaria
