#include "policy/guard/run/programs.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.h"
#include "policy/guard/program/interpreter_call.h"
#include "policy/guard/program/program_start.h"
#include "policy/guard/run/effective_environment.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/parameter.h"
#include "policy/guard/run/shell_call.h"
#include "policy/guard/run/walk.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

// What following another text costs, however short it is.
constexpr std::size_t kTextCost = 512;

bool is_system_directory(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path.starts_with("/") && (path.ends_with("bin") || path.contains(kUnknownPiece) ||
                                   path.find_first_of("*?[") != std::string_view::npos);
}

// /dev/fd/3, /proc/self/exe: the name of whatever is open or runs there.
bool is_behind_descriptor(std::string_view path, std::string_view directory) {
  if (!path.contains('/')) return false;
  if (!path.starts_with('/')) path = directory;
  if (path.starts_with("/dev/shm") && !path.contains("..")) return false;
  return path.starts_with("/proc/") || path.starts_with("/dev/");
}

bool fetches(const std::vector<std::string>& programs) {
  return std::ranges::any_of(
      programs, [](const std::string& program) { return program == "curl" || program == "wget"; });
}

void say_unknown(Findings& findings, const SeenCommand& seen) {
  findings.say_unclear("command name is not known", "it is known only at run time", &seen);
}

}  // namespace

// --- which program it is

void Programs::run(SeenCommand seen) {
  const Situation& now = walk_.now;
  seen.once = now.once;
  seen.elsewhere = now.elsewhere;
  seen.background = now.background;
  seen.run_by = now.run_by;
  SeenWord& word = seen.words.front();
  if (word.listed) word.text = kUnknownPiece;  // whichever it is, the text does not name it
  const std::string base(base_name(word.text));
  if (is_behind_descriptor(word.text, seen.directory) || base.contains('(')) {
    say_unknown(walk_.findings, seen);
    if (base == "exe" && !seen.by_program) {  // /proc/self/exe: this shell
      seen.program = "bash";
      return run_named(std::move(seen));
    }
  }
  const bool clear = !base.contains(kUnknownPiece) &&
                     !(word.pattern && base.find_first_of("*?[") != std::string::npos);
  if (!clear) return run_guesses(std::move(seen), base);
  if (word.customary) {
    if (seen.words.size() == 1) say_unknown(walk_.findings, seen);
    if (base != "sudo") guess_worst(seen);  // which runs what is judged anyway
  }
  if (!seen.by_program) walk_.findings.note_name(word.text);
  seen.program = base;
  add_environment(seen, [&](const std::string& name) { return walk_.known_variable(name); });
  run_named(std::move(seen));
}

// A name that is known only in part: all it may be.
void Programs::run_guesses(SeenCommand seen, const std::string& base) {
  walk_.io.forget_output();
  const SeenWord word = seen.words.front();
  const std::string_view directory =
      std::string_view(word.text).substr(0, word.text.size() - base.size());
  const bool local =
      !directory.empty() && directory.front() != kUnknownPiece && !is_system_directory(directory);
  if (local) {
    walk_.findings.add(seen);  // a program of the project, such as ./build/$name
    return run_file(seen, 0);
  }
  std::string rest = base;
  std::erase(rest, kUnknownPiece);
  if (!word.pattern && std::ranges::binary_search(walk_.watched(), std::string_view(rest))) {
    if (!seen.by_program) walk_.findings.note_name(rest);
    seen.program = rest;  // r${x}m: what is not known is likely empty
    return run_named(std::move(seen));
  }
  if (rest.find_first_not_of("*?[]!") == std::string::npos) {
    say_unknown(walk_.findings, seen);
    return walk_.findings.add(std::move(seen));
  }
  bool any = false;
  for (const std::string_view name : walk_.watched()) {
    if (!matches_pattern(base, name)) continue;
    SeenCommand guess = seen;
    guess.program = name;
    guess.guessed = !word.pattern;
    run_named(std::move(guess));
    any = true;
  }
  if (!any) walk_.findings.add(std::move(seen));
}

// $CC is a compiler, unless an earlier command made it something else: what would do the greatest
// harm with these words is asked for.
void Programs::guess_worst(const SeenCommand& seen) {
  for (const char* program : {"rm", "dd", "chmod", "chown", "kill", "mv", "find"}) {
    SeenCommand guess = seen;
    guess.program = program;
    guess.guessed = true;
    walk_.findings.add(std::move(guess));
  }
}

void Programs::run_named(SeenCommand seen) {
  if (!walk_.findings.follow()) return walk_.findings.add(std::move(seen));
  const ShellState::Callees callees = walk_.state.functions_of(seen);
  const std::size_t count = callees.functions.size() + (callees.program ? 1 : 0);
  walk_.flow.each_way(count, [&](std::size_t i) {
    if (i == callees.functions.size()) {
      run_program(seen);
      run_behind_links(seen);
      return walk_.builtins.run(seen);
    }
    walk_.findings.add(seen);
    walk_.findings.commands().back().program.clear();  // no program of that name runs
    walk_.flow.call(*callees.functions[i], seen);
  });
}

// The same where the links lead.
void Programs::run_behind_links(const SeenCommand& seen) {
  const Links& links = walk_.state.links();
  const std::optional<SeenCommand> real = links.followed(seen);
  const bool somewhere = seen.from_start && seen.directory.empty() && !links.empty();
  if (somewhere && std::ranges::any_of(seen.words, [](auto& word) {
        return word.text.find('/') != std::string::npos && !word.text.starts_with('/');
      })) {
    walk_.findings.note_start();
  }
  if (links.gave_up()) walk_.findings.say_too_much("it names more files than are looked at", &seen);
  if (!real || among(seen.program, "mount umount bindfs")) return;
  const Kept<Output*> listening = walk_.io.listen_instead(nullptr);
  run_program(*real);
}

void Programs::run_not_found_handler() {
  SeenCommand handler;
  handler.words = {{std::string(shell::kNotFoundHandler)}, {std::string(1, kUnknownPiece)}};
  const Kept<Output*> listening = walk_.io.listen_instead(nullptr);
  run(std::move(handler));
}

// --- what it runs in turn

void Programs::run_program(const SeenCommand& seen) {
  walk_.findings.add(seen);
  walk_.print(seen);
  walk_.files.note(seen);
  Situation& now = walk_.now;
  if (now.depth >= kMaxDepth) {
    return walk_.findings.say_too_deep("it runs commands that run commands, too deep to follow");
  }
  const Kept<int> deeper(now.depth, now.depth + 1);
  const std::size_t by = now.run_by.size();
  now.run_by += (by == 0 ? "" : " ") + seen.program;
  run_all(inner_commands(seen), seen);
  if (is_shell(seen.program)) run_shell_input(seen);
  const bool open = seen.input.kind == SeenInput::Kind::open && runs_what_it_reads(seen);
  if (open || starts_shell(seen)) run_input(seen.input, seen);
  const bool printed = walk_.io.listener() != nullptr;  // $(cat)
  if (printed && among(seen.program, "cat head tail tee sed tr cut")) meet_open_input(seen);
  if (seen.program == "git") run_git_alias(seen);
  read_files(seen);
  run_file(seen, 0);
  meet_compiler(seen);
  if (is_interpreter(seen.program)) meet_interpreter(seen);  // what it writes it does not follow
  now.run_by.resize(by);
}

void Programs::run_all(std::vector<InnerCommand> all, const SeenCommand& by) {
  const auto links = [](const InnerCommand& one) {
    return !one.words.empty() && one.words.front().text == "ln";
  };
  if (walk_.state.links().empty() && std::ranges::none_of(all, links)) {
    std::erase_if(all, [](const InnerCommand& one) { return one.behind_links; });
  }
  if (all.size() > kMaxInner) {
    all.resize(kMaxInner);
    walk_.findings.say_too_much("it runs more commands than can be followed", &by);
  }
  std::optional<SeenCommand> feeds;  // once for all of them: it may be long
  for (InnerCommand& inner : all) {
    const Kept<bool> elsewhere(walk_.now.elsewhere, walk_.now.elsewhere || inner.elsewhere);
    Variables& variables = walk_.state.variables();
    const std::size_t mark = variables.mark();
    const bool moves = !inner.directory.empty() && !walk_.now.elsewhere;
    const bool named = inner.is_text && !inner.name.text.empty();
    if (named) variables.set("0", {{inner.name}});
    if (inner.is_text) {
      if (inner.fed && !feeds) {
        feeds = by;
        feeds->input = {.kind = SeenInput::Kind::pipe};
      }
      if (moves) {
        const SeenCommand child = child_of({.directory = inner.directory}, by, false);
        variables.set(std::string(kDirectoryKey), ShellState::place_of(child));
      }
      run_text(inner.text, std::move(inner.words), inner.fed ? *feeds : by);
    } else if (!inner.words.empty()) {
      const SeenCommand child = child_of(std::move(inner), by, walk_.now.elsewhere);
      if (moves) variables.set(std::string(kDirectoryKey), ShellState::place_of(child));
      run(child);
    }
    if (moves || named) variables.undo(mark);
  }
}

void Programs::run_text(const SeenWord& text, std::vector<SeenWord> arguments,
                        const SeenCommand& by) {
  Situation& now = walk_.now;
  std::string script = text.text;
  walk_.findings.budget().spend(script.size() + kTextCost);
  if (!text.known()) {
    if (!now.elsewhere) {
      walk_.findings.say_unclear(
          "text that is not known is run as commands",
          "part of the text that " + by.program + " runs cannot be determined", &by);
    }
    if (script.size() == 1) return;
    script = with_unknown_variable(script);
  }
  const bool here = by.program == "eval" || among(by.word(0), ". source");
  const bool trap = by.program == "trap";
  const bool apart = !here && !trap;
  Variables& variables = walk_.state.variables();
  const std::size_t mark = variables.mark();
  const std::size_t traps = walk_.builtins.traps();
  const Situation::Jump outer_jump = now.jump;
  {
    const Io::Scope scope(walk_.io, !here);
    walk_.io.set_input(by.input);
    const Kept<bool> sure(now.sure, now.sure && !trap);
    const Kept<bool> once(now.once, now.once && !trap);
    if (apart) walk_.state.set_arguments(std::move(arguments));
    if (now.elsewhere) variables.forget(std::string(kDirectoryKey));
    walk_.flow.walk_text(script);
    if (apart) walk_.builtins.run_traps(traps);
  }
  if (!here) now.jump = outer_jump;
  if (trap) leave_trap(mark, by);
  if (apart) variables.undo(mark);
}

// What a trap changes may change at any time from now on; what one does at the end comes too late
// for that.
void Programs::leave_trap(std::size_t mark, const SeenCommand& by) {
  Variables& variables = walk_.state.variables();
  const std::vector<std::string> changed = variables.changed(mark);
  variables.undo(mark);
  const bool at_end = std::all_of(by.words.begin() + 2, by.words.end(),
                                  [](const SeenWord& word) { return among(word.text, "EXIT 0"); });
  if (at_end) return;
  for (const std::string& name : changed) {
    if (name != "@") variables.make_opaque(name);
  }
}

// git config alias.p push; git p -f
void Programs::run_git_alias(const SeenCommand& seen) {
  const std::size_t verb = git_verb_at(seen);
  if (seen.word(verb) == "config") {
    for (std::size_t i = verb + 1; i + 1 < seen.words.size(); ++i) {
      const std::string key = lower_case(seen.word(i));
      if (key.starts_with("alias."))
        walk_.state.set_alias("git " + key.substr(6), seen.words[i + 1]);
    }
    return;
  }
  for (const std::string& text :
       walk_.state.aliases_of("git " + lower_case(seen.word(verb))).texts) {
    const std::string script = text.starts_with('!') ? text.substr(1) : "git " + text;
    InnerCommand run = guard::run_text({script + " \"$@\""});
    run.words = words_from(seen, verb + 1);
    run_all({std::move(run)}, seen);
  }
}

// --- scripts and input

void Programs::run_script(const SeenCommand& seen, std::size_t at) {
  if (at >= seen.words.size()) return;
  if (const std::optional<SeenInput> input = walk_.io.input_named(seen, at)) {
    return run_input(*input, seen);
  }
  run_file(seen, at);
}

// A shell that was given no script reads one from its input.
void Programs::run_shell_input(const SeenCommand& seen) {
  const ShellCall call = read_shell_call(seen);
  for (std::size_t i = 1; i + 1 < seen.words.size(); ++i) {
    if (among(seen.word(i), "--rcfile --init-file")) run_script(seen, i + 1);
  }
  if (call.has_text || call.runs_nothing) return;
  if (call.script == 0) return run_input(seen.input, seen);
  run_script(seen, call.script);
}

void Programs::meet_open_input(const SeenCommand& by) {
  if (by.input.kind != SeenInput::Kind::open) return;
  const std::string why = by.program + " reads input that is written later and is not judged";
  walk_.findings.say({RuleClass::dangerous, "words from an input that is not judged", why, {}},
                     &by);
}

void Programs::run_input(const SeenInput& input, const SeenCommand& by) {
  if (input.kind == SeenInput::Kind::inherited || input.kind == SeenInput::Kind::file) return;
  if (input.kind == SeenInput::Kind::open) {
    return walk_.findings.say(
        {RuleClass::dangerous,
         "commands from an input that is not judged",
         by.program + " runs commands from its input, which the guard cannot check",
         {}},
        &by);
  }
  if (!input.text) {
    if (!fetches(input.producers)) {  // which is a rule of its own
      walk_.findings.say_unclear("unknown commands are piped to a shell",
                                 "a shell reads commands that are known only when they run", &by);
    }
    return;
  }
  SeenCommand reader = by;
  reader.program = "input";
  reader.input = {};
  run_text({*input.text}, {}, reader);
}

// echo 'int main…' | gcc -x c - -o x
void Programs::meet_compiler(const SeenCommand& seen) {
  if (!among(seen.program, "gcc g++ cc c++ clang clang++ tcc rustc") || !seen.input.text) return;
  const bool reads = std::ranges::any_of(
      seen.words, [](const SeenWord& word) { return among(word.text, "- /dev/stdin"); });
  if (reads) follow(Language::program, {.text = seen.input.text}, seen);
}

// What an interpreter runs that is no file of the project: programs among its words, its input, or
// a descriptor.
void Programs::meet_interpreter(const SeenCommand& seen) {
  const InterpreterCall call = read_interpreter_call(seen);
  // What a line of Tcl does stands somewhere on it.
  const bool tcl = among(seen.program, "tclsh wish expect");
  const Language language = tcl ? Language::lines : Language::program;
  for (const std::string& program : call.programs) {
    follow(language, {.text = std::make_shared<const std::string>(program)}, seen);
  }
  std::optional<SeenInput> input;
  if (call.reads_input) input = seen.input;
  if (call.file > 0 && call.file < seen.words.size()) {
    input = walk_.io.input_named(seen, call.file);
  }
  using Kind = SeenInput::Kind;
  const bool nothing = !input || input->kind == Kind::inherited || input->kind == Kind::file ||
                       input->kind == Kind::open;  // which is said already
  if (nothing) return;
  if (input->text) return follow(language, {.text = input->text}, seen);
  const bool project = std::ranges::all_of(
      input->producers, [](const std::string& program) { return program == "cat"; });
  const bool known = fetches(input->producers) || (project && !input->producers.empty());
  if (walk_.now.elsewhere || known) return;
  walk_.findings.say_unclear("unknown program is piped to an interpreter",
                             seen.program + " reads a program that is known only when it runs",
                             &seen);
}

// A script that this text wrote, or a program it gave another name.
void Programs::run_file(const SeenCommand& seen, std::size_t at) {
  if (at == 0) {
    if (std::string original = walk_.files.original_of(base_name(seen.word(0)));
        !original.empty() && walk_.findings.follow()) {
      SeenCommand other = seen;
      other.words[0] = {std::move(original)};
      other.by_program = true;
      run(std::move(other));
    }
  }
  for (const FileContent& content : walk_.files.script_at(seen, at)) {
    const Interpreter by =
        content.text && at == 0 ? script_interpreter(*content.text) : Interpreter{};
    if (at == 0 && by.program.empty() && content.text && run_by_first_line(*content.text, seen)) {
      continue;
    }
    if (content.part || by.language != Language::shell) {
      SeenCommand reader = seen;
      if (!content.part) reader.program = by.program;
      follow(by.language, content, reader);
    } else {
      run_own_script(content.text, seen, at);
    }
  }
}

// #!/bin/rm -rf: the program of its first line gets the file and the words. False: it is a shell's.
bool Programs::run_by_first_line(std::string_view script, const SeenCommand& seen) {
  if (!script.starts_with("#!")) return false;
  std::string_view line = trim(script.substr(2, script.find('\n') - 2));
  const std::string_view program = next_word(line);
  if (program.empty() || is_shell(base_name(program)) || !walk_.findings.follow()) return false;
  if (base_name(program) == "env" && is_shell(base_name(line.substr(line.find_last_of(' ') + 1)))) {
    return false;
  }
  SeenCommand child = seen;
  child.by_program = true;
  child.words = {{std::string(program)}};
  if (!trim(line).empty()) child.words.push_back({std::string(trim(line))});
  std::ranges::copy(seen.words, std::back_inserter(child.words));
  run(std::move(child));
  return true;
}

// A script that this text wrote; one that starts itself beside itself never ends.
void Programs::run_own_script(const std::shared_ptr<const std::string>& text,
                              const SeenCommand& seen, std::size_t at) {
  if (std::ranges::find(running_, text) != running_.end()) {
    if (seen.background || seen.input.kind == SeenInput::Kind::pipe) {
      walk_.findings.say({RuleClass::hardline, "fork bomb", "fork bomb", {}}, &seen);
    }
    return;
  }
  Variables& variables = walk_.state.variables();
  const std::size_t mark = variables.mark();
  variables.set("0", {{seen.words[at]}});
  running_.push_back(text);
  run_input(text_input(text), seen);
  running_.pop_back();
  variables.undo(mark);
}

void Programs::read_files(const SeenCommand& seen) {
  for (const auto& [row_language, content] : walk_.files.read_by(seen)) {
    Language language = row_language;
    SeenCommand reader = seen;
    if (language == Language::shell && content.text) {  // a hook
      const Interpreter by = script_interpreter(*content.text);
      language = by.language;
      if (!by.program.empty()) reader.program = by.program;
    }
    follow(language, content, reader);
  }
}

void Programs::follow(Language language, const FileContent& content, const SeenCommand& by) {
  if (!content.text) {
    if (content.unseen) {
      walk_.findings.say_unclear("instructions are known only when they run",
                                 by.program + " follows a file whose text is not known", &by);
    }
    return;
  }
  std::string key = std::to_string(reinterpret_cast<std::uintptr_t>(content.text.get())) + " " +
                    std::to_string(static_cast<int>(language)) + " " + by.program;
  for (const SeenWord& word : by.words) key += " " + word.text;
  Budget& budget = walk_.findings.budget();
  budget.spend(content.text->size() + key.size() + kTextCost);
  if (budget.spent() || !followed_files_.insert(std::move(key)).second) return;
  kept_texts_.push_back(content.text);
  Instructions found =
      content.part ? Instructions{.commands = texts_in(*content.text), .guessed = true}
                   : read_instructions(language, *content.text, by,
                                       [&](auto& name) { return walk_.known_variable(name); });
  if (found.unknown) {
    walk_.findings.say_unclear("instructions are known only when they run",
                               by.program + " runs a file that does what is known only then", &by);
  }
  for (InstructionDoubt& doubt : found.doubts) {
    if (walk_.now.elsewhere) break;
    walk_.findings.say_unclear(std::move(doubt.key), std::move(doubt.description), &by);
  }
  if (language == Language::program) name_home(walk_.context.home_at_start(), found.commands);
  if (!found.guessed) return run_all(std::move(found.commands), by);
  // Nobody knows whether a program runs them: they count for what they would clearly do.
  const Kept<std::vector<Concern>> concerns(walk_.findings.concerns());
  std::erase_if(found.commands, is_unreadable);
  run_all(std::move(found.commands), by);
}

}  // namespace talaria::guard
