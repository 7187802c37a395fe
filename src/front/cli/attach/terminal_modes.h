// TerminalModes: what a program has switched on at its terminal and not off again: the alternate
// screen, the mouse, bracketed paste, a hidden cursor. One who comes to look needs the same, and
// one who leaves wants it back as it was.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "front/cli/attach/sequence_splitter.h"

namespace talaria::front::cli {

class TerminalModes {
 public:
  void feed(std::string_view bytes);

  // Escape sequences that switch on what is on now, and those that undo it.
  std::string switch_on() const;
  std::string switch_off() const;
  bool alternate_screen() const;

 private:
  void take(std::string_view sequence);

  SequenceSplitter splitter_;
  std::set<int> on_;   // private modes that are off in a fresh terminal
  std::set<int> off_;  // private modes that are on in a fresh terminal
  bool keypad_ = false;
  bool coloured_ = false;
  bool region_ = false;  // only a part of the screen scrolls
};

// Old output on its way to a terminal that shows it once more, without what would make that
// terminal answer: the program that asked has had its answer long ago.
class ReplayFilter {
 public:
  std::string pass(std::string_view bytes);
  // The beginning of a sequence whose end is still to come.
  const std::string& pending() const { return splitter_.pending(); }

 private:
  SequenceSplitter splitter_;
};

// Output for a terminal that is not the program's own: text and its colours, nothing that moves,
// clears or switches.
class PlainFilter {
 public:
  std::string pass(std::string_view bytes);

 private:
  SequenceSplitter splitter_;
};

}  // namespace talaria::front::cli
