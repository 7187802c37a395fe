// Programs: which one the first word of a command names, and what it runs in turn.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/parameter.h"
#include "policy/guard/run/walker.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using RedirectKind = ShellRedirect::Kind;

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

}  // namespace

void Walker::run(SeenCommand seen) {
  seen.once = once_;
  seen.elsewhere = elsewhere_;
  seen.background = background_;
  seen.run_by = run_by_;
  name_program(std::move(seen));
}

// Says which program it is, or which ones it may be.
void Walker::name_program(SeenCommand seen) {
  const SeenWord& word = seen.words.front();
  const std::string base(base_name(word.text));
  if (is_behind_descriptor(word.text, seen.directory) || base.contains('(')) {
    say_unclear("command name is not known", "what runs is known only when it runs", &seen);
    if (base == "exe" && !seen.by_program) {  // /proc/self/exe: this shell
      seen.program = "bash";
      return run_named(std::move(seen));
    }
  }
  const bool clear = !base.contains(kUnknownPiece) &&
                     !(word.pattern && base.find_first_of("*?[") != std::string::npos);
  if (clear && word.customary) {
    if (seen.words.size() == 1) {
      say_unclear("command name is not known", "what runs is known only when it runs", &seen);
    }
    if (base != "sudo") guess_worst(seen);  // which runs what is judged anyway
  }
  if (clear) {
    if (!seen.by_program) names_.insert(word.text);
    seen.program = base;
    return run_named(std::move(seen));
  }
  if (output_ != nullptr) output_->forget();
  const std::string_view directory =
      std::string_view(word.text).substr(0, word.text.size() - base.size());
  const bool local =
      !directory.empty() && directory.front() != kUnknownPiece && !is_system_directory(directory);
  if (local) {
    commands_.push_back(seen);  // a program of the project, such as ./build/$name
    run_file(seen, 0);
    return;
  }
  std::string rest = base;
  std::erase(rest, kUnknownPiece);
  if (!word.pattern && std::ranges::find(watched_, rest) != watched_.end()) {
    if (!seen.by_program) names_.insert(rest);
    seen.program = rest;  // r${x}m: what is not known is likely empty
    return run_named(std::move(seen));
  }
  if (rest.find_first_not_of("*?[]!") == std::string::npos) {
    say_unclear("command name is not known", "what runs is known only when it runs", &seen);
    commands_.push_back(std::move(seen));
    return;
  }
  bool any = false;
  for (const std::string_view name : watched_) {
    if (!matches_pattern(base, name)) continue;
    SeenCommand guess = seen;
    guess.program = name;
    guess.guessed = !word.pattern;
    run_named(std::move(guess));
    any = true;
  }
  if (!any) commands_.push_back(std::move(seen));
}

// $CC is a compiler, unless an earlier command made it something else: what would do the greatest
// harm with these words is asked for.
void Walker::guess_worst(const SeenCommand& seen) {
  for (const char* program : {"rm", "dd", "chmod", "chown", "kill", "mv", "find"}) {
    SeenCommand guess = seen;
    guess.program = program;
    guess.guessed = true;
    commands_.push_back(std::move(guess));
  }
}

void Walker::run_named(SeenCommand seen) {
  if (++followed_ > kMaxFollowed) {
    commands_.push_back(std::move(seen));
    return say_unclear("too much to follow", "it has more commands than can be followed");
  }
  const Callees callees = find_functions(seen);
  const std::size_t count = callees.functions.size() + (callees.program ? 1 : 0);
  each_way(count, [&](std::size_t i) {
    if (i == callees.functions.size()) return run_program(seen);
    commands_.push_back(seen);
    commands_.back().program.clear();  // no program of that name runs
    call_function(*callees.functions[i], seen);
  });
}

void Walker::run_program(const SeenCommand& seen) {
  commands_.push_back(seen);
  print(seen);
  note_files(seen);
  if (seen.program == "git") note_git(seen);
  if (depth_ >= kMaxDepth) {
    return say_unclear("commands nested too deeply",
                       "it runs commands that run commands, too deep to follow");
  }
  ++depth_;
  run_inner(seen);
  --depth_;
}

void Walker::run_inner(const SeenCommand& seen) {
  const std::string outer_by = run_by_;
  run_by_ += (run_by_.empty() ? "" : " ") + seen.program;
  run_all(inner_commands(seen), seen);
  if (is_shell(seen.program)) run_shell_input(seen);
  if (starts_shell(seen)) run_input(seen.input, seen);
  if (seen.program == "git") run_git_alias(seen);
  read_files(seen);
  run_file(seen, 0);
  if (is_interpreter(seen.program)) meet_interpreter(seen);  // what it writes it does not follow
  run_by_ = outer_by;
}

// What the command around them runs.
void Walker::run_all(std::vector<InnerCommand> all, const SeenCommand& seen) {
  const bool outer_elsewhere = elsewhere_;
  if (all.size() > kMaxInner) {
    all.resize(kMaxInner);
    say_unclear("too much to follow", "it runs more commands than can be followed", &seen);
  }
  std::optional<SeenCommand> feeds;  // once for all of them: it may be long
  for (InnerCommand& inner : all) {
    elsewhere_ = outer_elsewhere || inner.elsewhere;
    if (inner.is_text && inner.fed) {
      if (!feeds) {
        feeds = seen;
        feeds->input = {.kind = SeenInput::Kind::pipe};
      }
      run_text(inner.text, std::move(inner.words), *feeds, elsewhere_);
    } else if (inner.is_text) {
      run_text(inner.text, std::move(inner.words), seen, elsewhere_);
    } else if (!inner.words.empty()) {
      SeenCommand child;
      child.words = std::move(inner.words);
      child.by_program = true;
      if (inner.reads_input) child.input = seen.input;
      if (inner.reads_input) child.descriptors = seen.descriptors;
      if (inner.input) child.input = {.kind = SeenInput::Kind::document, .text = inner.input};
      child.directory = seen.directory;
      child.processes = seen.processes;
      child.substituted = seen.substituted;
      child.backquotes = seen.backquotes;
      const SeenCommand copy = child;
      run(std::move(child));
      run_builtin(copy);
    }
  }
  elsewhere_ = outer_elsewhere;
}

void Walker::run_text(const SeenWord& text, std::vector<SeenWord> arguments, const SeenCommand& by,
                      bool elsewhere) {
  std::string script = text.text;
  budget_.spend(script.size() + kTextCost);
  if (!text.known()) {
    if (!elsewhere) {
      say_unclear("text that is not known is run as commands",
                  by.program + " runs a text that is known only in part", &by);
    }
    if (script.size() == 1) return;
    script = with_unknown_variable(script);
  }
  const SeenInput outer_input = std::exchange(input_, by.input);
  const int input_changes = input_changes_;
  const std::size_t mark = variables_.mark();
  const std::size_t traps = traps_.size();
  const bool here = by.program == "eval" || among(by.word(0), ". source");
  const bool trap = by.program == "trap";
  const Jump outer_jump = jump_;
  const bool outer_sure = std::exchange(sure_, sure_ && !trap);
  const bool outer_once = std::exchange(once_, once_ && !trap);
  if (!here && !trap) expander_.set_arguments(std::move(arguments));
  walk_text(script);
  if (!here && !trap) run_traps(traps);
  sure_ = outer_sure;
  once_ = outer_once;
  if (!here) jump_ = outer_jump;
  if (trap) {
    leave_trap(mark, by);
  } else if (!here) {
    variables_.undo(mark);
  }
  if (!here || input_changes == input_changes_) input_ = outer_input;
}

// What a trap changes may change at any time from now on; what one does at the end comes too late
// for that.
void Walker::leave_trap(std::size_t mark, const SeenCommand& by) {
  const std::vector<std::string> changed = variables_.changed(mark);
  variables_.undo(mark);
  const bool at_end = std::all_of(by.words.begin() + 2, by.words.end(),
                                  [](const SeenWord& word) { return among(word.text, "EXIT 0"); });
  if (at_end) return;
  for (const std::string& name : changed) {
    if (name != "@") variables_.make_opaque(name);
  }
}

}  // namespace talaria::guard
