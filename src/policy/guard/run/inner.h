// Commands that run other commands: which ones, as their own words say.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/guard/run/seen_command.h"
#include "policy/guard/run/shell_call.h"

namespace talaria::guard {

// A command or a shell text that another command runs.
struct InnerCommand {
  std::vector<SeenWord> words;  // of the command; or, of a text, the arguments behind it
  bool is_text = false;
  SeenWord text;
  bool elsewhere = false;
  bool reads_input = true;  // the standard input of the command around it is its own
  bool fed = false;         // that command writes to it what is not known
  std::shared_ptr<const std::string> input = nullptr;  // what it reads instead; null: nothing
  std::string directory = {};  // where it runs instead; empty: where the command around it does
  SeenWord name = {};          // of a text: $0; empty: the name of the shell
  bool behind_links = false;   // it counts only if the text has made links
};

inline InnerCommand run_text(SeenWord text, bool elsewhere = false) {
  return {.is_text = true, .text = std::move(text), .elsewhere = elsewhere};
}

bool is_unreadable(const InnerCommand& inner);  // a text that is no script

// The command itself, as the one around it starts it.
SeenCommand child_of(InnerCommand inner, const SeenCommand& by, bool elsewhere);

// The words of a command from `at` on.
std::vector<SeenWord> words_from(const SeenCommand& command, std::size_t at);

// The words as one text, with blanks between them.
SeenWord joined(const std::vector<SeenWord>& words);

std::vector<InnerCommand> inner_commands(const SeenCommand& command);

// The text that stands between each `mark`, which ends in a bracket, and its closing bracket.
void add_bracketed(std::string_view text, std::string_view mark, std::vector<InnerCommand>& inner);

// What sed put into a file: its lines, and in them each text that stands between quotes.
std::vector<InnerCommand> texts_in(std::string_view part);

// What `talaria exec`, `start`, `call`, `code` and `mcp` would do, as commands that do the same.
void add_talaria_commands(const SeenCommand& command, std::vector<InnerCommand>& inner);

// The names of all commands that run others, for a name that is known only in part.
std::vector<std::string_view> running_programs();

}  // namespace talaria::guard
