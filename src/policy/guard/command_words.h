// Where in a shell text the names of commands stand. Not in it: what is only text, such as strings,
// comments and the bodies of here-documents (but for substitutions in those, which do run).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::guard {

struct CommandWord {
  std::size_t begin = 0;  // bytes of the text
  std::size_t end = 0;
  std::string name;    // without quotes and escapes
  bool plain = false;  // it is written as it is called, without quotes, escapes or expansions
  std::string behind;  // the command in front of it that runs it (env, nohup, exec …), if any
};

struct CommandWords {
  std::vector<CommandWord> words;  // from left to right
  std::string trouble;             // why the text could not be read; empty: it could
};

CommandWords find_command_words(std::string_view text);

}  // namespace talaria::guard
