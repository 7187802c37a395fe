// Tmux: a real terminal, for programs that a person uses in one. Each session is a window of a
// certain size; keys are typed into it, and what it shows can be read.
#pragma once

#include <string>
#include <vector>

#include "support/world.h"

namespace talaria::test {

class Tmux {
 public:
  explicit Tmux(World& world);
  ~Tmux();  // with everything that runs in it

  // Shell text in a window of its own. It stays when that ends, until the Tmux goes.
  void open(const std::string& window, const std::string& text, int columns = 100, int rows = 30);
  void resize(const std::string& window, int columns, int rows);
  // Text as it is; keys as tmux calls them: "Enter", "C-p", "Escape".
  void type(const std::string& window, const std::string& text);
  void press(const std::string& window, std::vector<std::string> keys);
  void enter(const std::string& window, const std::string& line);

  // Its lines, without blanks at their ends and empty ones at the end.
  std::string screen(const std::string& window);
  bool shows(const std::string& window, const std::string& text);

 private:
  std::string ask(std::vector<std::string> words);

  World& world_;
  std::string socket_;
  Program server_;
};

}  // namespace talaria::test
