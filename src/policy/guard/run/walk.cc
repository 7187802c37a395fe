#include "policy/guard/run/walk.h"

#include <memory>
#include <string>

#include "policy/guard/word_list.h"

namespace talaria::guard {

Walk::Walk(const GuardContext& start, WatchedPrograms watched_programs)
    : context(start),
      watched(watched_programs),
      state(start, findings, now),
      io(now),
      files(findings, now, io, state, watched_programs),
      expander(state.variables(), findings.budget(), start.home_at_start(), start.session.variables,
               *this),
      texts(*this),
      flow(*this),
      substitutions(*this),
      commands(*this),
      programs(*this),
      builtins(*this) {
  if (start.input.kind == StartInput::Kind::text) {
    io.set_input(text_input(std::make_shared<const std::string>(start.input.text)));
  } else if (start.input.kind == StartInput::Kind::open) {
    io.set_input({.kind = SeenInput::Kind::open});
  }
}

std::optional<std::string> Walk::known_variable(const std::string& name) {
  const Value value = expander.value_of(name);
  const bool one = value->is_known() && value->items.size() == 1 && !value->array;
  if (!one || !value->items.front().known()) return std::nullopt;
  return value->items.front().text;
}

// What printenv prints is a variable; some print where they run.
void Walk::print(const SeenCommand& seen) {
  if (io.listener() == nullptr) return;
  if (seen.from_start && among(seen.program, "pwd realpath readlink git")) findings.note_start();
  if (seen.program != "printenv" || seen.words.size() != 2) return io.print(seen);
  const std::optional<std::string> value = known_variable(seen.words[1].text);
  SeenCommand echo = seen;
  if (value) echo.words = {{"echo"}, {*value}};
  if (value) echo.program = "echo";
  io.print(echo);
}

void Walk::walk_all(std::string_view text) {
  findings.budget().allow(4 * (text.size() + context.input.text.size()));
  builtins.take_variables();
  flow.walk_text(text);
  if (findings.budget().spent()) findings.say_too_much("its words become too many or too long");
  for (const auto& [name, value] : context.session.aliases) {
    if (!shell::is_reserved_word(name)) continue;
    findings.say_unclear("alias of a word of the shell", "the session has an alias named " + name);
  }
  const bool handles = context.session.functions.contains(shell::kNotFoundHandler) ||
                       state.variables().has(function_key(shell::kNotFoundHandler));
  if (handles) programs.run_not_found_handler();
  builtins.run_traps(0);
  if (expander.uses_start()) findings.note_start();
}

}  // namespace talaria::guard
