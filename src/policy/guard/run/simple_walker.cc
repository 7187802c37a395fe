// Simple commands: what their words become, and what runs because of them.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "policy/guard/run/parameter.h"
#include "policy/guard/run/walker.h"

namespace talaria {
namespace {

using RedirectKind = ShellRedirect::Kind;

constexpr std::size_t kMaxChoices = 64;
constexpr std::size_t kMaxAliasText = 64 * 1024;

// Stands for an unknown piece in a text that is read as a script.
constexpr std::string_view kUnknownVariable = "${__unknown__}";

bool is_system_directory(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path.starts_with("/") && (path.ends_with("bin") || path.contains(kUnknownPiece) ||
                                   path.find_first_of("*?[") != std::string_view::npos);
}

bool is_bare(const ShellWord& word) {
  return word.parts.size() == 1 && word.parts.front().kind == WordPart::Kind::text &&
         !word.parts.front().quoted;
}

bool has_backquotes(const ShellCommand& command) {
  return std::ranges::any_of(command.words, [](const ShellWord& word) {
    return std::ranges::any_of(
        word.parts, [](const WordPart& part) { return part.detail && part.detail->backquotes; });
  });
}

}  // namespace

SeenCommand Walker::expand_command(const ShellCommand& command) {
  SeenCommand seen;
  const std::size_t first = commands_.size();
  std::vector<SeenInput> outer = std::exchange(processes_, {});
  for (const ShellWord& word : command.words) expander_.expand(word, seen.words);
  seen.substituted = programs_since(first);
  seen.backquotes = !seen.substituted.empty() && has_backquotes(command);
  seen.input = input_;
  expand_redirects(command, seen);
  seen.processes = std::exchange(processes_, std::move(outer));
  if (alias_end_ == &command) std::ranges::copy(alias_words_, std::back_inserter(seen.words));
  return seen;
}

void Walker::expand_redirects(const ShellCommand& command, SeenCommand& seen) {
  for (const ShellRedirect& redirect : command.redirects) {
    const ShellWord& word = redirect.document ? redirect.document->body : redirect.target;
    const std::size_t processes = processes_.size();
    SeenWord target = expander_.expand_whole(word);
    if (redirect.kind == RedirectKind::here_document ||
        redirect.kind == RedirectKind::here_string) {
      seen.input = {.kind = SeenInput::Kind::document,
                    .text = std::make_shared<const std::string>(std::move(target.text))};
      continue;
    }
    if (redirect.kind == RedirectKind::input && redirect.descriptor == 0) {
      // < <(command) is a pipe in other words
      seen.input = processes_.size() > processes ? processes_.back()
                                                 : SeenInput{.kind = SeenInput::Kind::file};
    }
    RedirectKind kind = redirect.kind;
    if (kind == RedirectKind::duplicate && redirect.descriptor == 1 &&
        target.text.find_first_not_of("0123456789-") != std::string::npos) {
      kind = RedirectKind::output;  // >&file
    }
    seen.redirects.push_back({kind, redirect.descriptor, std::move(target)});
  }
}

void Walker::assign(const ShellAssignment& assignment) {
  ShellValue value;
  if (assignment.array) {
    value.array = true;
    for (const ShellWord& element : assignment.elements) expander_.expand(element, value.items);
  } else {
    value.items.push_back(expander_.expand_whole(assignment.value));
  }
  expander_.expand_whole(assignment.index);
  const ShellValue* before = variables_.find(assignment.name);
  if (assignment.element) return variables_.forget(assignment.name);
  if (assignment.append) {
    if (before == nullptr) return variables_.forget(assignment.name);
    ShellValue whole = *before;
    if (assignment.array) {
      std::ranges::move(value.items, std::back_inserter(whole.items));
    } else if (whole.items.size() == 1 && whole.items[0].text.size() < 4096) {
      whole.items[0].text += value.items[0].text;
    } else {
      return variables_.forget(assignment.name);
    }
    value = std::move(whole);
  }
  variables_.set(assignment.name, std::move(value));
}

void Walker::run_simple(const ShellCommand& command) {
  const Variables::Choice outer = variables_.pause_choice();
  variables_.first_choice();
  std::vector<SeenCommand> possible;
  do {
    possible.push_back(expand_command(command));
  } while (possible.size() < kMaxChoices && variables_.next_choice());
  if (possible.size() == kMaxChoices && variables_.next_choice()) {
    say_unclear("too much to follow", "its words have more values than can be followed",
                &possible.front());
  }
  variables_.pause_choice();

  const std::size_t mark = variables_.mark();
  for (const ShellAssignment& assignment : command.assignments) assign(assignment);
  for (const SeenCommand& seen : possible) {
    if (!seen.words.empty() && !run_alias(command, seen)) run(seen);
    if (seen.words.empty() && !seen.redirects.empty()) {
      commands_.push_back(seen);
      commands_.back().directory = directory();
    }
  }
  const bool has_words = !possible.front().words.empty();
  if (has_words && !command.assignments.empty() && !command.assignments.front().array) {
    variables_.undo(mark);
  }
  for (const SeenCommand& seen : possible) {
    if (!seen.words.empty()) run_builtin(seen);
  }
  variables_.resume_choice(outer);
}

// What the word is an alias for; null: it is none, or is being expanded.
const std::string* Walker::find_alias(const ShellCommand& command, std::size_t at) {
  if (at >= command.words.size() || !is_bare(command.words[at])) return nullptr;
  const std::string& name = command.words[at].parts.front().text;
  const auto alias = aliases_.find(name);
  if (alias == aliases_.end()) return nullptr;
  const bool in_use = std::ranges::find(aliases_in_use_, name) != aliases_in_use_.end();
  return in_use ? nullptr : &alias->second;
}

// An alias counts where the name stands without quotes. Its text is followed by the other words.
bool Walker::run_alias(const ShellCommand& command, const SeenCommand& seen) {
  const std::string* const alias = find_alias(command, 0);
  if (alias == nullptr || aliases_in_use_.size() > static_cast<std::size_t>(kMaxDepth)) {
    return false;
  }
  const std::string& name = command.words.front().parts.front().text;
  names_.insert(name);
  std::string text = *alias;
  std::size_t at = 1;
  while (text.ends_with(' ') || text.ends_with('\t')) {  // then the next word may be one, too
    if (at < command.words.size() && is_bare(command.words[at])) {
      names_.insert(command.words[at].parts.front().text);
    }
    const std::string* const next = find_alias(command, at);
    if (next == nullptr || text.size() > kMaxAliasText) break;
    text += *next;
    ++at;
  }
  scripts_.push_back(std::make_unique<Script>(read_script(text)));
  const Script& script = *scripts_.back();
  if (!script.trouble.empty() || script.list.pipelines.empty()) {
    say_unclear("unreadable command text", "the alias " + name + " cannot be read", &seen);
    return true;
  }
  const ShellCommand* const outer_end = alias_end_;
  std::vector<SeenWord> outer_words = std::move(alias_words_);
  alias_end_ = &script.list.pipelines.back().commands.back();
  alias_words_.assign(seen.words.begin() + static_cast<std::ptrdiff_t>(at), seen.words.end());
  aliases_in_use_.push_back(name);
  const SeenInput outer_input = std::exchange(input_, seen.input);
  walk(script.list);
  input_ = outer_input;
  aliases_in_use_.pop_back();
  alias_end_ = outer_end;
  alias_words_ = std::move(outer_words);
  return true;
}

void Walker::run(SeenCommand seen) {
  seen.once = once_;
  seen.elsewhere = elsewhere_;
  seen.background = background_;
  seen.run_by = run_by_;
  seen.directory = directory();
  name_program(std::move(seen));
}

// Says which program it is, or which ones it may be.
void Walker::name_program(SeenCommand seen) {
  const SeenWord& word = seen.words.front();
  const std::string base(base_name(word.text));
  const bool clear = !base.contains(kUnknownPiece) &&
                     !(word.pattern && base.find_first_of("*?[") != std::string::npos);
  if (clear) {
    if (!seen.by_program) names_.insert(word.text);
    seen.program = base;
    return run_named(std::move(seen));
  }
  const std::string_view directory =
      std::string_view(word.text).substr(0, word.text.size() - base.size());
  const bool local =
      !directory.empty() && directory.front() != kUnknownPiece && !is_system_directory(directory);
  if (local) {
    commands_.push_back(std::move(seen));  // a program of the project, such as ./build/$name
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

void Walker::run_named(SeenCommand seen) {
  const ShellCommand* const function = find_function(seen);
  if (function != nullptr) seen.program.clear();  // no program of that name runs
  commands_.push_back(seen);
  if (++followed_ > kMaxFollowed) {
    return say_unclear("too much to follow", "it has more commands than can be followed");
  }
  if (function != nullptr) return call_function(*function, seen);
  if (depth_ >= kMaxDepth) {
    return say_unclear("commands nested too deeply",
                       "it runs commands that run commands, too deep to follow");
  }
  ++depth_;
  run_inner(seen);
  --depth_;
}

// The function of that name, of this text or of the session; null: there is none.
const ShellCommand* Walker::find_function(const SeenCommand& seen) {
  const std::string& name = seen.words.front().text;
  if (seen.by_program) return nullptr;
  if (const ShellCommand* own = variables_.find_function(name)) return own;
  const auto given = context_.session.functions.find(name);
  if (given == context_.session.functions.end()) return nullptr;
  scripts_.push_back(std::make_unique<Script>(read_script(given->second)));
  const Script& script = *scripts_.back();
  const bool readable = script.trouble.empty() && script.list.pipelines.size() == 1 &&
                        script.list.pipelines[0].commands[0].kind == ShellCommand::Kind::function;
  if (readable) return &script.list.pipelines[0].commands[0];
  say_unclear("unreadable command text", "the function " + name + " cannot be read", &seen);
  return nullptr;
}

void Walker::call_function(const ShellCommand& function, const SeenCommand& seen) {
  const std::string& name = seen.words.front().text;
  if (std::ranges::find(functions_in_use_, name) != functions_in_use_.end()) return;
  functions_in_use_.push_back(name);
  std::vector<SeenWord> outer = expander_.arguments();
  const SeenInput outer_input = std::exchange(input_, seen.input);
  expander_.set_arguments({seen.words.begin() + 1, seen.words.end()});
  walk(function.lists.front());
  expander_.set_arguments(std::move(outer));
  input_ = outer_input;
  functions_in_use_.pop_back();
}

void Walker::run_inner(const SeenCommand& seen) {
  const std::string outer_by = run_by_;
  run_by_ += (run_by_.empty() ? "" : " ") + seen.program;
  const bool outer_elsewhere = elsewhere_;
  for (InnerCommand& inner : inner_commands(seen)) {
    elsewhere_ = outer_elsewhere || inner.elsewhere;
    if (inner.is_text) {
      run_text(inner.text, std::move(inner.words), seen, elsewhere_);
    } else if (!inner.words.empty()) {
      SeenCommand child;
      child.words = std::move(inner.words);
      child.by_program = true;
      if (inner.reads_input) child.input = seen.input;
      child.processes = seen.processes;
      child.substituted = seen.substituted;
      child.backquotes = seen.backquotes;
      const SeenCommand copy = child;
      run(std::move(child));
      run_builtin(copy);
    }
  }
  if (is_shell(seen.program)) run_shell_input(seen);
  run_by_ = outer_by;
  elsewhere_ = outer_elsewhere;
}

void Walker::run_text(const SeenWord& text, std::vector<SeenWord> arguments, const SeenCommand& by,
                      bool elsewhere) {
  std::string script = text.text;
  if (!text.known()) {
    const bool asked_anyway = is_shell(by.program);
    if (!elsewhere && !asked_anyway) {
      say_unclear("text that is not known is run as commands",
                  by.program + " runs a text that is known only in part", &by);
    }
    std::string filled;
    for (const char c : script) {
      if (c == kUnknownPiece) {
        filled += kUnknownVariable;
      } else {
        filled += c;
      }
    }
    if (script.size() == 1) return;
    script = std::move(filled);
  }
  std::vector<SeenWord> outer = expander_.arguments();
  const SeenInput outer_input = std::exchange(input_, by.input);
  expander_.set_arguments(std::move(arguments));
  const std::size_t mark = variables_.mark();
  walk_text(script);
  if (by.program != "eval" && by.program != "trap") variables_.undo(mark);
  expander_.set_arguments(std::move(outer));
  input_ = outer_input;
}

}  // namespace talaria
