// The standard descriptors of a front end. Borrowed; a test passes pipes.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria::front {

struct Stdio {
  int in = 0;
  int out = 1;
  int err = 2;
};

// Writes all of it, and waits as long as needed. False: it failed, for the reason in errno.
bool write_fully(int fd, std::string_view text);

// The same for standard output. A failure is reported, unless the reader closed the pipe.
bool write_output(const Stdio& stdio, std::string_view text);
void complain_of_output(const Stdio& stdio, int code);

// Reads to the end of `fd`, but stops after the first piece beyond `most` bytes. `name` is for
// the error.
Result<std::string> read_fully(int fd, std::size_t most, const std::string& name);

// Writes text to standard error. On a terminal its lines are wrapped at the width of the terminal,
// at most 100 columns; a program gets them as they are.
void write_error(const Stdio& stdio, std::string_view text);

// The same for the line "talaria: <message>".
void complain(const Stdio& stdio, std::string_view message);

}  // namespace talaria::front
