// What is typed into a terminal so that it carries bytes to a program and back, and what then goes
// there. Whatever shell reads the line, only sh, stty, dd, printf and sleep are needed. No
// I/O.
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
class PtyWords {
 public:
  // `nonce`: letters and digits that nothing else will print.
  PtyWords(std::string_view script, std::string_view nonce);

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
