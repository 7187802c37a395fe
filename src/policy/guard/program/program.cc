#include "policy/guard/program/program.h"

#include <utility>

#include "policy/guard/program/program_reader.h"
#include "policy/guard/program/risky_words.h"

namespace talaria::guard {

ProgramReport read_program_report(std::string_view text, ProgramLanguage language) {
  ProgramTokens tokens = read_program_tokens(text, language);
  const ProgramCode code(std::move(tokens.tokens));
  ProgramReport report = ProgramReader(code, language).read();
  if (!tokens.trouble.empty() && has_risky_word(text)) {
    report.findings.push_back({.act = ProgramAct::unreadable, .name = tokens.trouble});
  }
  return report;
}

Instructions read_program(std::string_view text, std::string_view program) {
  return program_instructions(read_program_report(text, program_language(program)));
}

}  // namespace talaria::guard
