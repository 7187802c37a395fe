#include "policy/guard/run/walker.h"

#include <algorithm>
#include <set>
#include <utility>

#include "policy/guard/run/output.h"
#include "policy/guard/syntax/for_each_command.h"

namespace talaria {
namespace {

using Kind = ShellCommand::Kind;

std::string_view literal_name(const ShellCommand& command) {
  if (command.kind != Kind::simple || command.words.empty()) return "";
  const ShellWord& word = command.words.front();
  if (word.parts.size() != 1 || word.parts.front().kind != WordPart::Kind::text) return "";
  return word.parts.front().text;
}

// Whether a function starts itself more than once without waiting.
bool multiplies(const ShellList& list, std::string_view name) {
  bool found = false;
  const auto calls = [&](const ShellCommand& command) { return literal_name(command) == name; };
  for (const ShellPipeline& pipeline : list.pipelines) {
    const auto count = std::ranges::count_if(pipeline.commands, calls);
    found = found || count > 1 || (count > 0 && pipeline.after == AfterPipeline::background);
    for (const ShellCommand& command : pipeline.commands) {
      for (const ShellList& inner : command.lists) found = found || multiplies(inner, name);
    }
  }
  return found;
}

}  // namespace

Walker::Walker(const GuardContext& context, const std::vector<std::string_view>& watched)
    : context_(context),
      watched_(watched),
      expander_(variables_, context.home.empty() ? "/home/user" : context.home,
                {[this](const ShellList& list) { return substitute(list); },
                 [this](const PartDetail& detail) { meet_process(detail); },
                 [this](const std::string& text) { changed(text); }}),
      aliases_(context.session.aliases) {
  if (!context.hermes_home.empty()) variables_.set("HERMES_HOME", {{{context.hermes_home}}});
}

void Walker::say_unclear(std::string key, std::string description, const SeenCommand* about) {
  if (std::ranges::any_of(unclear_, [&](const Concern& one) { return one.key == key; })) return;
  Concern concern{RuleClass::unclear, std::move(key), std::move(description), {}};
  if (about != nullptr) {
    for (const SeenWord& word : about->words) concern.words.push_back(word.text);
  }
  unclear_.push_back(std::move(concern));
}

void Walker::walk_all(std::string_view text) {
  walk_text(text);
  for (const auto& [name, value] : context_.session.aliases) {
    if (!is_reserved_word(name)) continue;
    say_unclear("alias of a word of the shell", "the session has an alias named " + name);
  }
  if (!context_.session.functions.contains(kNotFoundHandler)) return;
  SeenCommand handler;
  handler.words = {{std::string(kNotFoundHandler)}, {std::string(1, kUnknownPiece)}};
  run(std::move(handler));
}

void Walker::walk_text(std::string_view text) {
  if (depth_ >= kMaxDepth) {
    return say_unclear("commands nested too deeply",
                       "it runs text in text in text, too deep to follow");
  }
  scripts_.push_back(std::make_unique<Script>(read_script(text)));
  const Script& script = *scripts_.back();
  if (!script.trouble.empty()) {
    return say_unclear("unreadable command text",
                       "the text cannot be read as bash would: " + script.trouble);
  }
  ++depth_;
  walk(script.list);
  --depth_;
}

void Walker::walk(const ShellList& list) {
  bool maybe = false;
  for (const ShellPipeline& pipeline : list.pipelines) {
    const std::size_t mark = variables_.mark();
    const bool apart = pipeline.after == AfterPipeline::background;
    const bool outer = std::exchange(background_, background_ || apart);
    walk_pipeline(pipeline);
    background_ = outer;
    if (apart) {
      variables_.undo(mark);
    } else if (maybe) {
      variables_.join(mark);
    }
    maybe = pipeline.after == AfterPipeline::or_else;
  }
}

void Walker::walk_pipeline(const ShellPipeline& pipeline) {
  if (pipeline.commands.size() == 1) return walk_command(pipeline.commands.front());
  const SeenInput outer = input_;
  for (const ShellCommand& command : pipeline.commands) {
    const std::size_t mark = variables_.mark();
    const std::size_t first = commands_.size();
    walk_command(command);
    variables_.undo(mark);
    SeenInput next{.kind = SeenInput::Kind::pipe};
    next.producers = input_.kind == SeenInput::Kind::pipe ? input_.producers : next.producers;
    std::ranges::move(programs_since(first), std::back_inserter(next.producers));
    if (std::optional<std::string> text = output_since(first)) {
      next.text = std::make_shared<const std::string>(std::move(*text));
    }
    input_ = std::move(next);
  }
  input_ = outer;
}

void Walker::walk_command(const ShellCommand& command) {
  if (++followed_ > kMaxFollowed) {
    return say_unclear("too much to follow", "it has more commands than can be followed");
  }
  switch (command.kind) {
    case Kind::simple:
      return run_simple(command);
    case Kind::function:
      return define(command);
    default:
      break;
  }
  const SeenInput outer = input_;
  redirect_compound(command);
  walk_compound(command);
  input_ = outer;
}

void Walker::walk_compound(const ShellCommand& command) {
  switch (command.kind) {
    case Kind::group:
      return walk(command.lists.front());
    case Kind::subshell:
    case Kind::coprocess:
      return walk_apart(command.lists.front());
    case Kind::branch:
    case Kind::choice:
      return walk_branches(command);
    case Kind::loop:
    case Kind::for_each:
    case Kind::for_count:
      return walk_loop(command);
    case Kind::arithmetic:
    case Kind::condition:
      for (const ShellWord& word : command.words) {
        expander_.expand_whole(word);
        if (command.kind != Kind::arithmetic) continue;
        for (const WordPart& part : word.parts) {
          if (part.kind == WordPart::Kind::text) changed(part.text);
        }
      }
      return;
    case Kind::simple:
    case Kind::function:
      return;
  }
}

void Walker::walk_apart(const ShellList& list) {
  const std::size_t mark = variables_.mark();
  walk(list);
  variables_.undo(mark);
}

void Walker::walk_maybe(const ShellList& list) {
  const std::size_t mark = variables_.mark();
  const bool outer = std::exchange(once_, false);
  walk(list);
  once_ = outer;
  variables_.join(mark);
}

void Walker::walk_branches(const ShellCommand& command) {
  for (const ShellWord& word : command.words) expander_.expand_whole(word);
  for (const CaseArm& arm : command.arms) {
    for (const ShellWord& pattern : arm.patterns) expander_.expand_whole(pattern);
    walk_maybe(arm.body);
  }
  for (const ShellList& list : command.lists) walk_maybe(list);
}

// What a loop assigns may be there when its body begins again.
void Walker::forget_assigned(const std::vector<ShellList>& lists) {
  std::set<std::string> names;
  for (const ShellList& list : lists) {
    for_each_command(list, [&](const ShellCommand& command) {
      for (const ShellAssignment& assignment : command.assignments) names.insert(assignment.name);
    });
  }
  for (const std::string& name : names) {
    if (variables_.find(name) != nullptr) variables_.forget(name);
  }
}

void Walker::walk_loop(const ShellCommand& command) {
  if (command.kind == Kind::for_each) {
    std::vector<SeenWord> words;
    if (command.over_arguments) words = expander_.arguments();
    for (const ShellWord& word : command.words) expander_.expand(word, words);
    std::vector<ShellValue> values;
    for (SeenWord& word : words) values.push_back({{std::move(word)}});
    forget_assigned(command.lists);
    variables_.set_any(command.name, std::move(values));
  } else {
    for (const ShellWord& word : command.words) {
      expander_.expand_whole(word);
      for (const WordPart& part : word.parts) changed(part.text);
    }
    forget_assigned(command.lists);
  }
  for (const ShellList& list : command.lists) walk_maybe(list);
}

void Walker::define(const ShellCommand& command) {
  if (command.name.empty()) return;
  if (multiplies(command.lists.front(), command.name)) fork_bomb_ = true;
  for (const ShellCommand& body : command.lists.front().pipelines.front().commands) {
    for (const ShellList& list : body.lists) {
      if (multiplies(list, command.name)) fork_bomb_ = true;
    }
  }
  variables_.define(command.name, &command);
}

// A redirection of a compound command is one for each command in it.
void Walker::redirect_compound(const ShellCommand& command) {
  if (command.redirects.empty()) return;
  SeenCommand seen;
  seen.input = input_;
  expand_redirects(command, seen);
  input_ = seen.input;
  commands_.push_back(std::move(seen));
}

std::optional<std::string> Walker::output_since(std::size_t first) const {
  std::string all;
  for (std::size_t i = first; i < commands_.size(); ++i) {
    if (!commands_[i].run_by.empty()) continue;  // the one that runs it speaks for it
    const std::optional<std::string> text = literal_output(commands_[i]);
    if (!text) return std::nullopt;
    all += *text;
  }
  return all;
}

std::vector<std::string> Walker::programs_since(std::size_t first) const {
  std::vector<std::string> programs;
  for (std::size_t i = first; i < commands_.size() && programs.size() < 100; ++i) {
    programs.push_back(commands_[i].program);
  }
  return programs;
}

std::optional<std::string> Walker::substitute(const ShellList& list) {
  const std::size_t first = commands_.size();
  const Variables::Choice choice = variables_.pause_choice();
  const std::string by = std::exchange(run_by_, "");
  const bool outer = std::exchange(once_, true);
  if (list.pipelines.empty()) {
    run_by_ = by;
    once_ = outer;
    variables_.resume_choice(choice);
    return "";
  }
  walk_apart(list);
  once_ = outer;
  run_by_ = by;
  variables_.resume_choice(choice);
  std::optional<std::string> text = output_since(first);
  while (text && text->ends_with('\n')) text->pop_back();
  for (std::size_t i = first; i < commands_.size(); ++i) {
    commands_[i].once = commands_[i].once && outer;
    if (commands_[i].run_by.empty()) commands_[i].run_by = "$( )";
  }
  return text;
}

void Walker::meet_process(const PartDetail& detail) {
  const std::size_t first = commands_.size();
  SeenInput input{.kind = SeenInput::Kind::process};
  if (std::optional<std::string> text = substitute(detail.list)) {
    input.text = std::make_shared<const std::string>(std::move(*text) + "\n");
  }
  input.producers = programs_since(first);
  if (detail.input) processes_.push_back(std::move(input));
}

}  // namespace talaria
