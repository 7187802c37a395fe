#include "front/cli/markdown_page.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "front/cli/help.h"
#include "front/cli/wrap.h"

namespace talaria::front::cli {
namespace {

constexpr std::size_t kPageWidth = 100;

using MarkdownRows = std::vector<std::pair<std::string, std::string>>;  // both are Markdown

// Shown as it is written. Text between backticks is code, in which nothing is escaped.
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

std::string markdown_code(std::string_view text) { return "`" + std::string(text) + "`"; }

// A bar ends a cell, also within code.
std::string markdown_cell(std::string_view text) {
  std::string cell;
  for (const char character : text) {
    if (character == '|') cell += '\\';
    cell += character;
  }
  return cell;
}

std::string markdown_table(std::string_view heading, const MarkdownRows& rows) {
  if (rows.empty()) return "";
  std::string text = "\n| " + std::string(heading) + " | meaning |\n|---|---|\n";
  for (const auto& [term, meaning] : rows) {
    text += "| " + markdown_cell(term) + " | " + markdown_cell(meaning) + " |\n";
  }
  return text;
}

std::string markdown_fence(std::string_view lines) {
  return "\n```\n" + std::string(lines) + "```\n";
}

// ". One of: `a`, `b`"; nothing if there is no list.
std::string markdown_choices(std::string_view choices) {
  std::string text;
  while (!choices.empty()) {
    text += (text.empty() ? ". One of: " : ", ") + markdown_code(next_word(choices));
  }
  return text;
}

std::string markdown_usage(const CommandInfo& command) {
  std::string lines;
  for (const std::string_view form : command.usage) {
    lines += "talaria " + std::string(command.name) + " " + std::string(form) + "\n";
  }
  return markdown_fence(lines);
}

std::string markdown_examples(const std::vector<Example>& examples) {
  if (examples.empty()) return "";
  std::size_t widest = 0;
  for (const Example& one : examples) widest = std::max(widest, one.command.size());
  std::string lines;
  for (const Example& one : examples) {
    std::string line = "$ " + std::string(one.command);
    line.resize(widest + 2, ' ');
    lines += line + "   # " + std::string(one.meaning) + "\n";
  }
  return markdown_fence(lines);
}

std::string markdown_arguments(const std::vector<Argument>& arguments) {
  MarkdownRows rows;
  for (const Argument& one : arguments) {
    rows.emplace_back(markdown_code(std::string(one.name) + (one.many ? "..." : "")),
                      markdown_text(one.meaning) + markdown_choices(one.choices));
  }
  return markdown_table("argument", rows);
}

std::string markdown_options(const std::vector<Option>& options) {
  MarkdownRows rows;
  for (const Option& one : options) {
    const std::string value = one.value.empty() ? "" : " " + std::string(one.value);
    rows.emplace_back((one.brief.empty() ? "" : markdown_code(one.brief) + ", ") +
                          markdown_code(std::string(one.name) + value),
                      markdown_text(one.meaning) + markdown_choices(one.choices));
  }
  rows.emplace_back("`-h`, `--help`", "Show the help of this command");
  return markdown_table("option", rows);
}

// A paragraph for each line; lines that begin with a blank are shown as they are.
std::string markdown_notes(std::string_view notes) {
  std::string text;
  std::string literal;
  const auto end_literal = [&] {
    if (!literal.empty()) text += markdown_fence(std::exchange(literal, {}));
  };
  while (!notes.empty()) {
    const std::string_view line = notes.substr(0, notes.find('\n'));
    notes.remove_prefix(std::min(line.size() + 1, notes.size()));
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

std::string markdown_exit_codes(const std::vector<ExitCodeNote>& codes) {
  MarkdownRows rows;
  for (const ExitCodeNote& one : codes) {
    rows.emplace_back(std::string(one.code), markdown_text(one.meaning));
  }
  return markdown_table("exit code", rows);
}

std::string markdown_section(const CommandInfo& command) {
  return "\n## " + std::string(command.name) + "\n\n" + markdown_text(command.summary) + ".\n" +
         markdown_usage(command) + markdown_examples(command.examples) +
         markdown_arguments(command.arguments) + markdown_options(command.options) +
         markdown_notes(command.notes) + markdown_exit_codes(command.exit_codes);
}

std::string markdown_overview(const std::vector<CommandInfo>& commands) {
  MarkdownRows rows;
  for (const CommandInfo& command : commands) {
    if (command.hidden) continue;
    std::string anchor(command.name);
    std::ranges::replace(anchor, ' ', '-');
    rows.emplace_back("[" + markdown_code(command.name) + "](#" + anchor + ")",
                      markdown_text(command.summary));
  }
  return markdown_table("command", rows);
}

std::string markdown_outside(std::string_view title, std::string_view heading,
                             const std::vector<Outside>& all) {
  MarkdownRows rows;
  for (const Outside& one : all) {
    rows.emplace_back(markdown_code(one.name), markdown_text(one.meaning));
  }
  return "\n## " + std::string(title) + "\n" + markdown_table(heading, rows);
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
  return page + markdown_outside("Environment", "variable", outside_variables()) +
         markdown_outside("Files", "file", outside_files());
}

}  // namespace talaria::front::cli
