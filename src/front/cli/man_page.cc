// The manual page, in the language of man(7).
#include <talaria/version.h>

#include "front/cli/help.h"

namespace talaria::front::cli {
namespace {

// Without a special meaning for roff.
std::string literal(std::string_view text) {
  std::string roff;
  if (text.starts_with('.') || text.starts_with('\'')) roff = "\\&";
  for (const char character : text) {
    if (character == '\\') {
      roff += "\\e";
    } else if (character == '-') {
      roff += "\\-";
    } else if (character == '\'') {
      roff += "\\(aq";
    } else if (character == '~') {
      roff += "\\(ti";
    } else {
      roff += character;
    }
  }
  return roff;
}

std::string bold(std::string_view text) { return "\\fB" + literal(text) + "\\fR"; }

std::string man_terms(const Terms& terms) {
  std::string roff;
  for (const auto& [term, meaning] : terms) {
    roff += ".TP\n" + bold(term) + "\n" + literal(meaning) + "\n";
  }
  return roff;
}

std::string man_notes(std::string_view notes) {
  std::string roff;
  bool in_example = false;
  if (!notes.empty() && !notes.starts_with(' ')) roff += ".PP\n";
  for (const std::string_view line : note_lines(notes)) {
    const bool example = line.starts_with(' ');
    if (example != in_example) roff += example ? ".PP\n.EX\n" : ".EE\n.PP\n";
    in_example = example;
    roff += literal(line) + "\n";
  }
  return in_example ? roff + ".EE\n" : roff;
}

std::string man_section(const CommandInfo& command) {
  std::string roff = ".SS " + literal(command.name) + "\n" + literal(command.summary) + ".\n";
  for (const std::string& form : usage_forms(command)) roff += ".PP\n" + bold(form) + "\n";
  return roff + man_terms(argument_terms(command)) + man_terms(option_terms(command)) +
         man_notes(command.notes) + ".PP\nExamples:\n" + man_terms(example_terms(command)) +
         ".PP\nExit codes:\n" + man_terms(exit_code_terms(command));
}

}  // namespace

std::string man_page(const std::vector<CommandInfo>& commands) {
  std::string roff = ".TH TALARIA 1 \"\" \"Talaria " + std::string(kVersion) +
                     "\" \"User commands\"\n.SH NAME\ntalaria \\- run the commands of AI agents, "
                     "here or at a target\n.SH SYNOPSIS\n" +
                     bold("talaria") + " \\fICOMMAND\\fR ...\n.br\n" + bold("talaria") +
                     " \\fICOMMAND\\fR " + bold("--help") + "\n.br\n" + bold("talaria --version") +
                     "\n.SH DESCRIPTION\n" + literal(kAbout) + "\n.SH COMMANDS\n";
  for (const CommandInfo& command : commands) {
    if (!command.hidden) roff += man_section(command);
  }
  return roff + ".SH TERMS\n" + man_terms(concept_terms()) + ".SH TARGETS\n" +
         man_terms(target_terms()) + ".SH ENVIRONMENT\n" + man_terms(variable_terms()) +
         ".SH FILES\n" + man_terms(file_terms());
}

}  // namespace talaria::front::cli
