// Programs on a terminal of their own, through script(1).
#pragma once

#include <memory>
#include <string>

#include "support/world.h"

namespace talaria::test {

// Shell text that sees a terminal of `columns` as its standard streams. What it prints comes out
// with \r\n; what is written to it is typed.
inline ProgramSpec on_terminal(const World& world, const std::string& text, int columns = 200) {
  const std::string sized = "stty cols " + std::to_string(columns) + " rows 50; " + text;
  return {.argv = {"/usr/bin/script", "-qec", sized, "/dev/null"},
          .env = world.env(),
          .cwd = world.path("work"),
          .keep_stdin_open = true};
}

// To its end: what it showed.
inline std::string shown_on_terminal(const World& world, const std::string& text,
                                     int columns = 200) {
  Program program(on_terminal(world, text, columns));
  program.wait();
  return program.out();
}

}  // namespace talaria::test
