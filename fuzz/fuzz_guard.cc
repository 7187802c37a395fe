// Any text as a command: it is judged without harm, whatever is not simply allowed has a reason,
// and command words are where they are said to be.

#include <string>

#include "fuzz/input.h"
#include "policy/guard/command_words.h"
#include "policy/guard/guard.h"

namespace talaria {
namespace {

void check(Input input) {
  const std::string text(input.rest());
  const guard::GuardContext context{.home = "/home/alice",
                                    .session = {.aliases = {{"ll", "ls -l"}}}};
  const guard::Judgement judgement = judge(text, context);
  require((judgement.answer == guard::Answer::allow) == judgement.concerns.empty());

  const guard::CommandWords found = guard::find_command_words(text);
  require(found.trouble.empty() || found.words.empty());
  for (const guard::CommandWord& word : found.words) {
    require(word.begin <= word.end && word.end <= text.size());
    if (word.plain) require(text.substr(word.begin, word.end - word.begin) == word.name);
  }
}

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talaria::check(talaria::Input(data, size));
  return 0;
}
