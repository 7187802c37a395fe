// TerminalModes: the modes that a program has switched on at its terminal: the alternate screen,
// the mouse, bracketed paste, a hidden cursor. A terminal that attaches needs the same modes, and
// must get its own back when it detaches.
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

// SequenceFilter: passes text, and the escape sequences that `passes` accepts.
class SequenceFilter {
 public:
  explicit SequenceFilter(bool (*passes)(std::string_view sequence)) : passes_(passes) {}

  std::string pass(std::string_view bytes);
  // A sequence that has not ended.
  const std::string& pending() const { return splitter_.pending(); }

 private:
  bool (*passes_)(std::string_view sequence);
  SequenceSplitter splitter_;
};

// Whether a terminal does not answer it: old output must not make a terminal answer again.
bool is_silent(std::string_view sequence);
// Whether it only sets colours, for a terminal that does not belong to the program.
bool is_colour(std::string_view sequence);

}  // namespace talaria::front::cli
