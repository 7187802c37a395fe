// Commands that print the name of something new, and nothing else.
#pragma once

#include "policy/guard/run/seen_command.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {

// mktemp, docker create, docker run -d: nobody else uses what they print.
inline bool prints_what_it_made(const SeenCommand& command) {
  if (command.program == "mktemp") return true;
  if (!among(command.program, "docker podman nerdctl")) return false;
  const bool detached = std::ranges::any_of(command.words, [](const SeenWord& word) {
    return among(word.text, "-d --detach -dit -itd -td -dt -di -id");
  });
  return command.word(1) == "create" || (command.word(1) == "run" && detached);
}

}  // namespace talaria::guard
