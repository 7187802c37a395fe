#include "policy/guard/run/substitutions.h"

#include <algorithm>
#include <utility>

#include "policy/guard/run/shell_call.h"
#include "policy/guard/run/walk.h"

namespace talaria::guard {

// What it prints in a shell of its own.
Printed Substitutions::print_apart(const ShellList& list) {
  if (list.pipelines.empty()) return {""};
  const std::size_t first = walk_.findings.count();
  Variables& variables = walk_.state.variables();
  const Variables::Choice choice = variables.pause_choice();
  Output printed;
  bool once = true;
  bool background = false;
  {
    const Kept<Situation> outer(walk_.now);
    once = std::exchange(walk_.now.once, true);
    background = std::exchange(walk_.now.background, false);
    walk_.now.run_by.clear();
    const Kept<bool> naming = walk_.commands.name_nothing();
    const Io::Listening listening(walk_.io, &printed);
    walk_.flow.walk_apart(list);
  }
  variables.resume_choice(choice);
  std::deque<SeenCommand>& commands = walk_.findings.commands();
  for (std::size_t i = first; i < commands.size(); ++i) {
    commands[i].once = commands[i].once && once;
    commands[i].background = commands[i].background || background;
    if (commands[i].run_by.empty()) commands[i].run_by = "$( )";
  }
  return {.text = choose_text(list, printed), .paths = printed.paths()};
}

// One of the texts that a substitution may print. Each has its turn while choices are made.
std::optional<std::string> Substitutions::choose_text(const ShellList& list,
                                                      const Output& printed) {
  Variables& variables = walk_.state.variables();
  std::vector<std::string> texts = printed.texts();
  const bool choosing = variables.choosing() && walk_.commands.naming();
  // it is meant to print something: cd x && pwd is meant to get there
  const bool place = std::ranges::any_of(texts, [](auto& one) { return one.starts_with('/'); });
  if ((!choosing || place) && texts.size() > 1) std::erase(texts, "");
  if (texts.empty() || (texts.size() > 1 && !choosing)) return std::nullopt;
  std::string text = texts.front();
  if (texts.size() > 1) {
    const std::string name = "$(" + std::to_string(reinterpret_cast<std::uintptr_t>(&list));
    text = texts[std::min(variables.choose(name, texts.size()), texts.size() - 1)];
  }
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// $(node -p 'os.homedir()'), $(getent passwd me | cut -d: -f6): something in the home.
bool Substitutions::names_home(std::size_t first) const {
  const std::deque<SeenCommand>& commands = walk_.findings.commands();
  return std::any_of(commands.begin() + static_cast<std::ptrdiff_t>(first), commands.end(),
                     [](const SeenCommand& one) {
                       if (one.program == "getent") return one.word(1) == "passwd";
                       if (!is_interpreter(one.program) && !is_shell(one.program)) return false;
                       return std::ranges::any_of(one.words, [](const SeenWord& word) {
                         constexpr std::size_t kLongest = 200;
                         return word.text.size() < kLongest &&
                                (word.text.contains("HOME") || word.text.contains("homedir") ||
                                 word.text.contains("expanduser") ||
                                 word.text.contains("Path.home"));
                       });
                     });
}

Printed Substitutions::command(const ShellList& list) {
  const std::size_t first = walk_.findings.count();
  Printed printed = print_apart(list);
  if (!printed.text && printed.paths.empty() && names_home(first)) {
    printed.text = walk_.context.home_at_start() + "/" + kUnknownPiece;
  }
  const std::deque<SeenCommand>& commands = walk_.findings.commands();
  // where a `cd` may have failed, the one command is seen in each directory
  const auto begin = commands.begin() + static_cast<std::ptrdiff_t>(first);
  const auto names_a_file = [](const SeenCommand& one) {
    return prints_what_it_made(one) && std::ranges::none_of(one.words, [](const SeenWord& word) {
             return !word.known() || word.text.starts_with("--dry") ||
                    (word.text.starts_with('-') && word.text.contains('u'));
           });
  };
  printed.temporary = begin != commands.end() && list.pipelines.size() == 1 &&
                      std::all_of(begin, commands.end(), names_a_file);
  return printed;
}

std::optional<SeenInput> Substitutions::process(const PartDetail& detail) {
  const std::size_t first = walk_.findings.count();
  if (!detail.input) {  // >(command) reads what others write, and nobody here follows that
    const Io::Scope scope(walk_.io, true);
    walk_.io.set_input({.kind = SeenInput::Kind::pipe});
    print_apart(detail.list);
    return std::nullopt;
  }
  Printed printed = print_apart(detail.list);
  SeenInput input{.kind = SeenInput::Kind::process};
  if (printed.text) {
    input.text = std::make_shared<const std::string>(std::move(*printed.text) + "\n");
  } else {
    input.paths = std::move(printed.paths);
  }
  input.producers = walk_.findings.programs_from(first);
  return input;
}

}  // namespace talaria::guard
