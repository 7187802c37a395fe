// Any text as a program of some language: it is read without harm, its tokens are in their order,
// and every command that it is taken for has words or a text.

#include <string>

#include "fuzz/input.h"
#include "policy/guard/program/program.h"
#include "policy/guard/program/program_tokens.h"

namespace talaria {
namespace {

void check(Input input) {
  constexpr auto kCount = static_cast<unsigned>(guard::ProgramLanguage::c) + 1;
  const auto language = static_cast<guard::ProgramLanguage>(input.choice() % kCount);
  const std::string text(input.rest());

  std::size_t line = 0;
  for (const guard::ProgramToken& token : guard::read_program_tokens(text, language).tokens) {
    require(token.line >= line || token.kind != guard::ProgramToken::Kind::name);
    if (token.kind == guard::ProgramToken::Kind::name) line = token.line;
  }
  const guard::ProgramReport report = guard::read_program_report(text, language);
  for (const guard::InnerCommand& command : guard::program_instructions(report).commands) {
    require(command.is_text || !command.words.empty());
  }
}

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talaria::check(talaria::Input(data, size));
  return 0;
}
