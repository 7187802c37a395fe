#include "front/cli/man_page.h"

#include <talaria/version.h>

#include <algorithm>

#include "front/cli/help.h"

namespace talaria::front::cli {
namespace {

// As it is, whatever roff would make of it.
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
std::string italic(std::string_view text) { return "\\fI" + literal(text) + "\\fR"; }

// A term and its meaning.
std::string tagged(const std::string& term, std::string_view meaning) {
  return ".TP\n" + term + "\n" + literal(meaning) + "\n";
}

std::string man_paragraphs(std::string_view notes) {
  std::string roff;
  bool in_example = false;
  const auto switch_to = [&](bool example) {
    if (example != in_example) roff += example ? ".PP\n.EX\n" : ".EE\n.PP\n";
    in_example = example;
  };
  if (!notes.empty() && !notes.starts_with(' ')) roff += ".PP\n";
  while (!notes.empty()) {
    const std::string_view line = notes.substr(0, notes.find('\n'));
    notes.remove_prefix(std::min(line.size() + 1, notes.size()));
    switch_to(line.starts_with(' '));
    roff += literal(line) + "\n";
  }
  if (in_example) roff += ".EE\n";
  return roff;
}

std::string section_of(const CommandInfo& command) {
  std::string roff = ".SS " + literal(command.name) + "\n" + literal(command.summary) + ".\n";
  for (const std::string_view form : command.usage) {
    roff += ".PP\n" + bold("talaria " + std::string(command.name)) + " " + literal(form) + "\n";
  }
  for (const Argument& argument : command.arguments) {
    roff += tagged(italic(argument.name), argument.meaning);
  }
  for (const Option& option : command.options) {
    roff += tagged((option.brief.empty() ? "" : bold(option.brief) + ", ") + bold(option.name) +
                       (option.value.empty() ? "" : " " + italic(option.value)),
                   option.meaning);
  }
  roff += tagged(bold("-h") + ", " + bold("--help"), "Show all this");
  roff += man_paragraphs(command.notes);
  roff += ".PP\nExit codes:\n";
  for (const ExitCodeNote& note : command.exit_codes) roff += tagged(bold(note.code), note.meaning);
  roff += ".PP\nExamples:\n";
  for (const Example& example : command.examples) {
    roff += tagged(bold(example.command), example.meaning);
  }
  return roff;
}

std::string section_of(std::string_view heading, const std::vector<Outside>& all) {
  std::string roff = ".SH " + std::string(heading) + "\n";
  for (const Outside& one : all) roff += tagged(bold(one.name), one.meaning);
  return roff;
}

}  // namespace

std::string man_page(const std::vector<CommandInfo>& commands) {
  std::string roff = ".TH TALARIA 1 \"\" \"Talaria " + std::string(kVersion) +
                     "\" \"User commands\"\n.SH NAME\ntalaria \\- run an AI agent\\(aqs commands, "
                     "here or at a target\n.SH SYNOPSIS\n" +
                     bold("talaria") + " " + italic("COMMAND") + " ...\n.br\n" + bold("talaria") +
                     " " + italic("COMMAND") + " " + bold("--help") + "\n.br\n" +
                     bold("talaria --version") + "\n.SH DESCRIPTION\n" + literal(kAbout) +
                     "\n.SH COMMANDS\n";
  for (const CommandInfo& command : commands) {
    if (!command.hidden) roff += section_of(command);
  }
  return roff + section_of("ENVIRONMENT", outside_variables()) +
         section_of("FILES", outside_files());
}

}  // namespace talaria::front::cli
