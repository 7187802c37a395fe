#include "policy/guard/program/interpreter_call.h"

#include <gtest/gtest.h>

#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

// The programs it is given, "<" if it reads one, and the file.
std::string runs_what(std::string_view words) {
  SeenCommand command;
  while (!words.empty()) command.words.push_back({std::string(next_word(words))});
  command.program = command.words.front().text;
  const InterpreterCall call = read_interpreter_call(command);
  std::string all;
  for (const std::string& program : call.programs) all += "[" + program + "]";
  if (call.reads_input) all += "<";
  if (call.file > 0) all += command.word(call.file);
  if (call.filters) all += " filters";
  return all;
}

TEST(InterpreterCallTest, FindsTheProgram) {
  const std::pair<const char*, const char*> cases[] = {
      {"python3 -c x", "[x]"},
      {"python3 -uc x y", "[x]"},
      {"python3 -W ignore -c x", "[x]"},
      {"python3 -cx", "[x]"},
      {"python3", "<"},
      {"python3 -", "<"},
      {"python3 a.py -c x", "a.py"},
      {"python3 -m pytest -c x", ""},
      {"python3 -m timeit -s x y", "[x][y]"},
      {"python3 -V", ""},
      {"node -e x", "[x]"},
      {"node -pe x", "[x]"},
      {"node --eval=x", "[x]"},
      {"node -r a b.js -e x", "b.js"},
      {"deno eval x", "[x]"},
      {"deno run -A a.ts", "a.ts"},
      {"deno fmt", ""},
      {"perl -e x -e y", "[x][y]"},
      {"perl -lane x f", "[x] filters"},
      {"perl -pi.bak -e x f", "[x] filters"},
      {"perl -Mstrict;system(1) -ne 1 f", "[strict;system(1)][1] filters"},
      {"perl -v", ""},
      {"ruby -rjson -ne x", "[x] filters"},
      {"php -r x", "[x]"},
      {"php -S localhost:80", "<"},
      {"lua -e x", "[x]"},
      {"Rscript -e x", "[x]"},
      {"julia -E x", "[x]"},
  };
  for (const auto& [words, expected] : cases) EXPECT_EQ(runs_what(words), expected) << words;
}

}  // namespace
}  // namespace talaria::guard
