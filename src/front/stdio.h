// The three descriptors a front end talks through. Borrowed; a test passes pipes instead.
#pragma once

#include <string_view>

namespace talaria::front {

struct Stdio {
  int in = 0;
  int out = 1;
  int err = 2;
};

// Writes all of it, waiting as long as it takes. False if it cannot be written; errno says why.
bool write_fully(int fd, std::string_view text);

// The same to standard output. Why it failed is told, unless the reader just went away.
bool write_output(const Stdio& stdio, std::string_view text);
void complain_of_output(const Stdio& stdio, int code);

// "talaria: <message>" on its own line.
void complain(const Stdio& stdio, std::string_view message);

}  // namespace talaria::front
