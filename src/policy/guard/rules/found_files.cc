#include "policy/guard/rules/found_files.h"

#include <string>
#include <string_view>

namespace talaria::guard {

bool finds_only_scratch(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  bool named = false;
  std::size_t at = 1;
  for (; at < command.words.size() && !command.word(at).starts_with('-') &&
         !among(command.word(at), "( !");
       ++at) {
    const std::string start = arguments.resolved(command.words[at]).text;
    if (arguments.paths.is_disposable(start)) {
      named = true;
    } else if (arguments.paths.is_foreign(start) || start.contains(kUnknownPiece) ||
               arguments.paths.is_home({start})) {
      return false;
    }
  }
  for (; at < command.words.size(); ++at) {
    const std::string_view word = command.word(at);
    if (word == "-empty") named = true;
    if (among(word, "-not !")) {
      ++at;  // what is left out does not say what is left
      if (among(command.word(at), "-name -iname -path -ipath -wholename -type")) ++at;
      continue;
    }
    if (!among(word, "-name -iname -path -ipath -wholename")) continue;
    std::string_view pattern = command.word(++at);
    while (pattern.starts_with("*/") || pattern.starts_with("./")) pattern.remove_prefix(2);
    if (!arguments.paths.is_disposable(pattern)) return false;
    named = true;
  }
  return named;
}

}  // namespace talaria::guard
