// The protocol that makes a terminal carry bytes to a program and back: the line that is typed, and
// what is sent afterwards. Any shell may read the line; it needs only sh, stty, dd, printf and
// sleep. No I/O.
#pragma once

#include <string>
#include <string_view>

namespace talaria::environment::daytona {

// Between the terminal and the program's input stands a loop in sh, for a terminal has no end of
// input, and a program must be able to see one. It takes lines, and what follows them:
//   12345      so many bytes
//   =TEXT      bytes as printf understands them; for few, as it needs no process
//   k          we are still there: without it, all ends after five minutes
//   0          the end of input
class PtyProtocol {
 public:
  // `nonce`: letters and digits that nothing else will print.
  PtyProtocol(std::string_view script, std::string_view nonce);

  // To be typed, whatever the shell there shows before. Shorter than the longest line a terminal
  // takes.
  const std::string& line() const { return line_; }
  // Shown when the terminal has become what carries bytes. It is not in the echo of the line.
  const std::string& mark() const { return mark_; }
  // To be sent then.
  const std::string& program() const { return program_; }

  static std::string piece(std::string_view bytes);
  static std::string_view alive() { return "k\n"; }
  static std::string_view end() { return "0\n"; }

 private:
  std::string line_;
  std::string mark_;
  std::string program_;
};

}  // namespace talaria::environment::daytona
