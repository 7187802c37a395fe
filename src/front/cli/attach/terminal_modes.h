// TerminalModes: the modes that a program has switched on at its terminal: the alternate screen, the
// mouse, bracketed paste, a hidden cursor. A terminal that attaches needs the same modes, and must
// get its own back when it detaches.
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
  bool region_ = false;  // a scrolling region is set
};

// Removes the sequences that a terminal answers from old output: the program got its answer before.
class ReplayFilter {
 public:
  std::string pass(std::string_view bytes);
  // A sequence that has not ended.
  const std::string& pending() const { return splitter_.pending(); }

 private:
  SequenceSplitter splitter_;
};

// Passes only text and colours, for a terminal that does not belong to the program.
class PlainFilter {
 public:
  std::string pass(std::string_view bytes);

 private:
  SequenceSplitter splitter_;
};

}  // namespace talaria::front::cli
