// Texts that a shell keeps and runs later: traps, prompts, callbacks, the handler of names that are
// not found.
#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "policy/guard/run/walker.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxTraps = 64;

// The value of an option of a builtin: -C text, -Ctext.
std::optional<SeenWord> option_value(const SeenCommand& seen, char letter) {
  for (std::size_t i = 1; i < seen.words.size(); ++i) {
    const std::string& word = seen.words[i].text;
    if (!word.starts_with('-') || word == "--") continue;
    const std::size_t at = word.find(letter, 1);
    if (at == std::string::npos) continue;
    if (at + 1 < word.size()) return SeenWord{word.substr(at + 1)};
    if (i + 1 < seen.words.size()) return seen.words[i + 1];
  }
  return std::nullopt;
}

}  // namespace

// A prompt: its escapes come first, then its substitutions.
void Walker::expand_prompt(const std::string& prompt) {
  budget_.spend(prompt.size());
  if (budget_.spent()) {
    return say_unclear("too much to follow", "its prompts are more than can be followed");
  }
  std::string text;
  for (std::size_t i = 0; i < prompt.size(); ++i) {
    if (prompt[i] != '\\' || i + 1 == prompt.size()) {
      text += prompt[i];
    } else if (std::isdigit(static_cast<unsigned char>(prompt[++i])) != 0) {
      text += kUnknownPiece;  // a character by its number
    } else if (prompt[i] == '$' || prompt[i] == '\\') {
      text += '\\';
      text += prompt[i];
    }
  }
  if (text.contains(kUnknownPiece)) {
    say_unclear("text that is not known is run as commands",
                "what a prompt runs is known only when it is shown");
  }
  expand_text(text);
}

void Walker::keep_trap(const SeenCommand& seen) {
  SeenCommand by = seen;
  by.program = "trap";
  if (by.word(1) == "--") by.words.erase(by.words.begin() + 1);
  if (by.words.size() < 3 || by.word(1).starts_with('-')) return;
  if (traps_.size() >= kMaxTraps) {
    return say_unclear("too much to follow", "it sets more traps than can be followed");
  }
  const std::string text = with_unknown_variable(by.words[1].text);
  run_text({text}, {}, by, elsewhere_);
  const bool known = std::ranges::any_of(
      traps_, [&](const SeenCommand& one) { return one.words[1].text == text; });
  by.words[1] = {text};
  if (known) return;
  traps_.push_back(std::move(by));
}

// What was set since runs again, with the variables and functions there are now or were meanwhile.
void Walker::run_traps(std::size_t first) {
  if (traps_.size() == first) return;
  const std::size_t mark = variables_.mark();
  for (const auto& [name, times] : since_trap_) {
    if (times > 1) variables_.doubt({name});
  }
  const Jump outer_jump = std::exchange(jump_, Jump::none);
  for (std::size_t i = first; i < traps_.size(); ++i) {
    const SeenCommand by = traps_[i];
    run_text(by.words[1], {}, by, elsewhere_);
  }
  jump_ = outer_jump;
  variables_.undo(mark);
  traps_.resize(first);
  if (traps_.empty()) since_trap_.clear();
}

// Variables whose values bash runs or reads names from.
void Walker::note_assigned(const std::string& name, const SeenWord& value) {
  if (!traps_.empty()) ++since_trap_[name];
  if (name == "PATH") {
    note_search_path(value.text);
  } else if (name == "PROMPT_COMMAND") {
    SeenCommand by;
    by.words = {{name}};
    by.program = name;
    run_text(value, {}, by, elsewhere_);
  } else if (among(name, "PS0 PS1 PS2 PS4")) {
    std::string known = value.text;
    std::erase(known, kUnknownPiece);
    expand_prompt(known);
  } else if (name == "BASH_ENV" || name == "ENV") {
    expand_text(value.text);
    SeenCommand reader;  // of a shell that starts
    reader.words = {{"."}, value};
    run_script(reader, 1);
  } else if (value.known() && value.text.contains(' ') && !customary_tool(name).empty()) {
    SeenCommand by;  // a later text may say $CC, which is then taken for a compiler
    by.words = {{name}};
    by.program = name;
    run_text(value, {}, by, elsewhere_);
  }
}

// `set -x` shows PS4 before each command.
void Walker::show_trace() {
  for (const Value& value : variables_.all("PS4").values) {
    if (value->kind == ShellValue::Kind::unknown) expand_prompt(std::string(1, kUnknownPiece));
    for (const SeenWord& item : value->items) expand_prompt(item.text);
  }
}

// BASH_ALIASES[name]=text, BASH_CMDS[name]=path
void Walker::note_element(const ShellAssignment& assignment, const SeenWord& index,
                          const ShellValue& value) {
  const bool aliases = assignment.name == "BASH_ALIASES";
  if (!aliases && assignment.name != "BASH_CMDS") return;
  const SeenWord to = value.items.empty() ? SeenWord{} : value.items.front();
  if (assignment.array || !index.known() || !to.known()) {
    say_unclear("name of a command is not known",
                "which name stands for which command is known only when it runs");
  } else if (aliases) {
    variables_.set(alias_key(index.text), {{to}});
  } else {
    name_anew(index.text, to.text);
  }
}

// A name is given to another program.
void Walker::name_anew(std::string_view name, std::string_view path) {
  if (base_name(path) == name) return;
  say_unclear("name of a command is given to another program",
              std::string(name) + " would run " + std::string(path));
}

// Builtins that run a text they are given, now or later.
void Walker::run_callbacks(const SeenCommand& seen) {
  const std::string_view name = seen.word(0);
  const auto run_one = [&](const std::optional<SeenWord>& text) {
    if (!text) return;
    SeenCommand by = seen;
    by.program = name;
    run_text({text->text + " 0"}, {}, by, elsewhere_);
  };
  if (name == "trap") {
    keep_trap(seen);
  } else if (name == "set" && (has_option_letter(seen, 'x') || has_option_letter(seen, 'o'))) {
    show_trace();
  } else if (name == "mapfile" || name == "readarray") {
    run_one(option_value(seen, 'C'));
  } else if (name == "compgen" || name == "complete") {
    run_one(option_value(seen, 'C'));
    if (name == "compgen") run_one(option_value(seen, 'F'));
    if (const auto words = option_value(seen, 'W')) expand_text(words->text);
  } else if (name == "bind" && has_option_letter(seen, 'x')) {
    const std::string& last = seen.words.back().text;
    run_one(SeenWord{last.substr(std::min(last.find(':', last.rfind('"') + 1) + 1, last.size()))});
  } else if (name == "hash" && has_option_letter(seen, 'p') && seen.words.size() > 3) {
    name_anew(seen.words.back().text, option_value(seen, 'p')->text);
  } else if (name == "jobs" && seen.word(1) == "-x") {
    SeenCommand child = seen;
    child.words.erase(child.words.begin(), child.words.begin() + 2);
    if (!child.words.empty()) run(std::move(child));
  } else if (name == "enable" && has_option_letter(seen, 'f')) {
    say_unclear("code becomes a part of the shell", "enable -f loads a builtin from a file", &seen);
  } else if (name == "fc" && !has_option_letter(seen, 'l')) {
    say_unclear("command from the history", "fc runs what was run before", &seen);
  } else if (among(name, "env sudo")) {
    for (const SeenWord& word : seen.words) {
      const std::size_t equals = std::min(word.text.find('='), word.text.size() - 1);
      note_assigned(word.text.substr(0, equals), {word.text.substr(equals + 1)});
      if (word.text.starts_with("BASH_FUNC_")) {
        say_unclear("function is not known", "a function is given to a shell as a variable", &seen);
      }
    }
  }
}

// What bash calls when it finds no command of a name.
void Walker::run_not_found_handler() {
  SeenCommand handler;
  handler.words = {{std::string(shell::kNotFoundHandler)}, {std::string(1, kUnknownPiece)}};
  Output* const listener = std::exchange(output_, nullptr);
  run(std::move(handler));
  output_ = listener;
}

}  // namespace talaria::guard
