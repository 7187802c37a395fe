// The simple commands of a text as they are written: enough to give advice about it. The only
// judgement that depends on it is that `sudo sh -c TEXT` needs no question if TEXT only looks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::guard {

struct PlainCommand {
  // Of the program it comes down to, behind assignments and words such as sudo, env, nice and time.
  // Quotes are removed; a word with an expansion is as it is written. None: there is no program.
  std::vector<std::string> words;
  bool background = false;   // its list ends in &
  bool negated = false;      // by a !
  bool substituted = false;  // inside $(…), `…`, <(…) or >(…)
};

// In the order of the text. Nothing: the text cannot be read.
std::optional<std::vector<PlainCommand>> plain_commands(std::string_view text);

}  // namespace talaria::guard
