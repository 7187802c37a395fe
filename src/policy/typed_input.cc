#include "policy/typed_input.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace talaria::policy {
namespace {

bool is_among(std::string_view one, std::string_view list) {
  while (!list.empty()) {
    if (next_word(list, ' ') == one) return true;
  }
  return false;
}

// As a terminal hands it over: Enter is a carriage return there, and what was erased is gone.
std::string as_read(std::string_view unfinished, std::string_view data) {
  constexpr char kBackspace = '\b';
  constexpr char kErase = '\x7f';
  constexpr char kEraseLine = '\x15';
  std::string text;
  for (const std::string_view part : {unfinished, data}) {
    for (const char c : part) {
      if (c == kErase || c == kBackspace) {
        if (!text.empty() && text.back() != '\n') text.pop_back();
      } else if (c == kEraseLine) {
        text.erase(text.rfind('\n') + 1);
      } else {
        text += c == '\r' ? '\n' : c;
      }
    }
  }
  return text;
}

// A program that the guard reads as the one that runs its input.
bool is_shell(std::string_view command) {
  std::string_view rest = trim(command);
  std::string_view program = next_word(rest, ' ');
  program.remove_prefix(program.rfind('/') + 1);
  return is_among(program, "bash sh dash zsh ksh ash fish");
}

void add_quoted(std::string_view line, std::vector<std::string_view>& to) {
  for (std::size_t at = 0; (at = line.find_first_of("\"'`", at)) != std::string_view::npos;) {
    const std::size_t end = line.find(line[at], at + 1);
    if (end == std::string_view::npos) return;
    to.push_back(line.substr(at + 1, end - at - 1));
    at = end + 1;
  }
}

// What in a line may become a command: `rm`, `:!rm`, `\! rm`, `.shell rm`, `system("rm")`.
std::vector<std::string_view> commands_in(std::string_view line) {
  std::vector<std::string_view> found{line};
  for (std::size_t at = line.find('!'); at != std::string_view::npos; at = line.find('!', at + 1)) {
    found.push_back(line.substr(at + 1));
  }
  std::string_view rest = line.substr(std::min(line.find_first_not_of(" \t:.\\%"), line.size()));
  const std::string_view first = next_word(rest, ' ');
  if (is_among(first, "shell system sh exec run run-shell term terminal host platform pipe")) {
    found.push_back(rest);
  }
  add_quoted(line, found);
  return found;
}

}  // namespace

std::optional<Decision> refused_input(const Approvals& approvals, CommandQuestion process,
                                      std::string_view unfinished, std::string_view data) {
  const std::string text = as_read(unfinished, data);
  process.input = {.kind = guard::StartInput::Kind::text, .text = text};
  if (auto refused = approvals.never_allowed(process)) return refused;
  if (is_shell(process.command)) return std::nullopt;
  process.input = {};
  for (std::string_view lines = text; !lines.empty();) {
    for (const std::string_view command : commands_in(next_word(lines, '\n'))) {
      if (trim(command).empty()) continue;
      process.command = command;
      auto refused = approvals.never_allowed(process);
      if (refused && refused->reason == Reason::hardline) return refused;
    }
  }
  return std::nullopt;
}

}  // namespace talaria::policy
