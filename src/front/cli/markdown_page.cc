// docs/reference/cli.md.
#include <algorithm>

#include "front/cli/help.h"
#include "front/wrap.h"

namespace talaria::front::cli {
namespace {

constexpr std::size_t kPageWidth = 100;

// Escapes the characters that are special in Markdown, except between backticks.
std::string markdown_text(std::string_view text) {
  constexpr std::string_view kSpecial = "\\<*[~";
  std::string escaped;
  bool in_code = false;
  for (const char character : text) {
    if (character == '`') in_code = !in_code;
    if (!in_code && kSpecial.contains(character)) escaped += '\\';
    escaped += character;
  }
  return escaped;
}

// A bar ends a cell, also within code.
std::string markdown_cell(std::string_view text) {
  std::string cell;
  for (const char character : text) {
    if (character == '|') cell += '\\';
    cell += character;
  }
  return cell;
}

// The terms are code.
std::string markdown_table(std::string_view heading, const Terms& terms) {
  if (terms.empty()) return "";
  std::string text = "\n| " + std::string(heading) + " | meaning |\n|---|---|\n";
  for (const auto& [term, meaning] : terms) {
    text += "| `" + markdown_cell(term) + "` | " + markdown_cell(markdown_text(meaning)) + " |\n";
  }
  return text;
}

std::string markdown_fence(std::string_view lines) {
  return "\n```\n" + std::string(lines) + "```\n";
}

std::string markdown_examples(const Terms& examples) {
  std::size_t widest = 0;
  for (const auto& [command, meaning] : examples) widest = std::max(widest, command.size());
  std::string lines;
  for (const auto& [command, meaning] : examples) {
    lines += "$ " + command + std::string(widest - command.size(), ' ') + "   # " + meaning + "\n";
  }
  return lines.empty() ? "" : markdown_fence(lines);
}

std::string markdown_notes(std::string_view notes) {
  std::string text;
  std::string literal;
  const auto end_literal = [&] {
    if (!literal.empty()) text += markdown_fence(std::exchange(literal, {}));
  };
  for (const std::string_view line : note_lines(notes)) {
    if (line.starts_with(' ')) {
      literal += std::string(line) + "\n";
      continue;
    }
    end_literal();
    text += "\n";
    for (const std::string& part : wrapped(markdown_text(line), kPageWidth)) text += part + "\n";
  }
  end_literal();
  return text;
}

std::string markdown_section(const CommandInfo& command) {
  std::string usage;
  for (const std::string& form : usage_forms(command)) usage += form + "\n";
  return "\n## " + std::string(command.name) + "\n\n" + markdown_text(command.summary) + ".\n" +
         markdown_fence(usage) + markdown_examples(example_terms(command)) +
         markdown_table("argument", argument_terms(command)) +
         markdown_table("option", option_terms(command)) + markdown_notes(command.notes) +
         markdown_table("exit code", exit_code_terms(command));
}

std::string markdown_overview(const std::vector<CommandInfo>& commands) {
  std::string text = "\n| command | meaning |\n|---|---|\n";
  for (const CommandInfo& command : commands) {
    if (command.hidden) continue;
    std::string anchor(command.name);
    std::ranges::replace(anchor, ' ', '-');
    text += "| [`" + std::string(command.name) + "`](#" + anchor + ") | " +
            markdown_cell(markdown_text(command.summary)) + " |\n";
  }
  return text;
}

}  // namespace

std::string markdown_page(const std::vector<CommandInfo>& commands) {
  std::string page =
      "# The command line\n\n"
      "<!-- Generated: talaria completion markdown >docs/reference/cli.md. A test compares it. "
      "-->\n\n" +
      std::string(kAbout) + "\n" +
      markdown_fence(
          "talaria COMMAND ...\n"
          "talaria COMMAND --help\n"
          "talaria --version\n") +
      markdown_overview(commands) +
      "\nErrors go to standard error. With `--json` they are `{\"error\":...}` on standard "
      "output.\n";
  for (const CommandInfo& command : commands) {
    if (!command.hidden) page += markdown_section(command);
  }
  return page + "\n## Terms\n" + markdown_table("term", concept_terms()) + "\n## Targets\n" +
         markdown_table("target", target_terms()) + "\n## Environment\n" +
         markdown_table("variable", variable_terms()) + "\n## Files\n" +
         markdown_table("file", file_terms());
}

}  // namespace talaria::front::cli
