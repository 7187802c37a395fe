#include "policy/guard/program/program.h"

#include <utility>

#include "policy/guard/program/program_reader.h"
#include "policy/guard/program/program_start.h"
#include "policy/guard/program/risky_words.h"

namespace talaria::guard {

namespace {

// #include "/home/me/.ssh/id_rsa": the compiler shows what it cannot read.
void add_included(std::string_view text, ProgramReport& report) {
  constexpr std::size_t kMost = 64;
  for (std::size_t at = 0; report.findings.size() < kMost;) {
    at = text.find("#include", at);
    if (at == std::string_view::npos) return;
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    const std::size_t begin = line.find_first_of("\"<") + 1;
    const std::size_t end = line.find_first_of("\">", begin);
    at += line.size();
    if (begin == 0 || end == std::string_view::npos || !line.substr(begin).starts_with('/'))
      continue;
    ProgramFinding finding{.act = ProgramAct::read, .name = "#include"};
    finding.arguments.values.push_back({.text = std::string(line.substr(begin, end - begin))});
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace

ProgramReport read_program_report(std::string_view text, ProgramLanguage language,
                                  const ProgramStart& start) {
  ProgramTokens tokens = read_program_tokens(text, language);
  const ProgramCode code(std::move(tokens.tokens));
  ProgramReport report = ProgramReader(code, language, start).read();
  if (language == ProgramLanguage::c) add_included(text, report);
  if (!tokens.trouble.empty() && has_risky_word(text)) {
    report.findings.push_back({.act = ProgramAct::unreadable, .name = tokens.trouble});
  }
  return report;
}

Instructions read_program(std::string_view text, std::string_view program) {
  return program_instructions(read_program_report(text, program_language(program)));
}

}  // namespace talaria::guard
