#include "policy/guard/run/walker.h"

#include <algorithm>
#include <set>
#include <utility>

#include "policy/guard/run/descriptors.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using CommandKind = ShellCommand::Kind;

}  // namespace

Walker::Walker(const GuardContext& context, const std::vector<std::string_view>& watched)
    : context_(context),
      watched_(watched),
      variables_(budget_),
      expander_(variables_, budget_, context.home.empty() ? "/home/user" : context.home,
                context.session.variables,
                {[this](const ShellList& list) { return substitute_noted(list); },
                 [this](const PartDetail& detail) { meet_process(detail); },
                 [this](const std::string& text) { evaluate(text); },
                 [this](const std::string& text) { expand_prompt(text); }}) {
  expander_.set_arguments({});
  if (!context.hermes_home.empty()) variables_.set("HERMES_HOME", {{{context.hermes_home}}});
  variables_.set(std::string(kDirectoryKey), {{{context.directory}, {"from the start"}}});
  if (context.input.kind == StartInput::Kind::text) {
    input_ = text_input(std::make_shared<const std::string>(context.input.text));
  } else if (context.input.kind == StartInput::Kind::open) {
    input_.kind = SeenInput::Kind::open;
  }
}

void Walker::say(Concern concern, const SeenCommand* about) {
  const auto same = [&](const Concern& one) { return one.key == concern.key; };
  if (std::ranges::any_of(unclear_, same)) return;
  if (about != nullptr) {
    concern.words = shown_words(*about);
    concern.directory = about->directory;
  }
  unclear_.push_back(std::move(concern));
}

void Walker::say_unclear(std::string key, std::string description, const SeenCommand* about) {
  say({RuleClass::unclear, std::move(key), std::move(description), {}}, about);
}

// As if `export NAME=value` stood in front of the text.
void Walker::take_variables() {
  constexpr std::string_view kOwn = "PWD OLDPWD SHLVL IFS _";  // bash makes these itself
  SeenCommand set{.words = {{"export"}}, .program = "export"};
  for (const auto& [name, value] : context_.variables) {
    if (among(name, kOwn)) continue;
    budget_.allow(4 * value.size());
    variables_.set(name, {{{value}}});
    if (is_watched_variable(name) || is_run_variable(name))
      set.words.push_back({name + "=" + value});
    note_assigned(name, {value});
    if (name == "POSIXLY_CORRECT") posix_ = true;
    if (name.starts_with("BASH_FUNC_")) {
      say_unclear("function is not known", "a function is given to the shell as a variable");
    }
  }
  if (set.words.size() == 1) return;
  run_all(inner_commands(set), set);
  commands_.push_back(std::move(set));  // for the rules about such variables
}

void Walker::walk_all(std::string_view text) {
  budget_.allow(4 * (text.size() + context_.input.text.size()));
  take_variables();
  walk_text(text);
  if (budget_.spent()) say_unclear("too much to follow", "its words become too many or too long");
  for (const auto& [name, value] : context_.session.aliases) {
    if (!shell::is_reserved_word(name)) continue;
    say_unclear("alias of a word of the shell", "the session has an alias named " + name);
  }
  const bool handles = context_.session.functions.contains(shell::kNotFoundHandler) ||
                       variables_.has(function_key(shell::kNotFoundHandler));
  if (handles) run_not_found_handler();
  run_traps(0);
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

void Walker::walk_pipeline(const ShellPipeline& pipeline) {
  if (pipeline.commands.size() == 1) {
    walk_command(pipeline.commands.front());
    if (pipeline.negated && status_ != Status::unknown) {
      status_ = status_ == Status::success ? Status::failure : Status::success;
    }
    return;
  }
  const SeenInput outer = input_;
  const Jump outer_jump = jump_;
  for (const ShellCommand& command : pipeline.commands) {
    const std::size_t mark = variables_.mark();
    const bool last = &command == &pipeline.commands.back();
    walk_stage(command, last);
    if (last_pipe_ && last) {
      variables_.join(mark);
    } else {
      variables_.undo(mark);
    }
    jump_ = outer_jump;
  }
  input_ = outer;
  status_ = Status::unknown;
}

void Walker::walk_command(const ShellCommand& command) {
  status_ = Status::unknown;
  if (++followed_ > kMaxFollowed || budget_.spent()) {
    return say_unclear("too much to follow", "it has more commands than can be followed");
  }
  switch (command.kind) {
    case CommandKind::simple:
      return run_simple(command);
    case CommandKind::function:
      return define(command);
    default:
      break;
  }
  const SeenInput outer = input_;
  const std::map<int, SeenInput> outer_descriptors = descriptors_;
  const int input_changes = input_changes_;
  const std::vector<SeenRedirect> redirects = redirect_compound(command);
  Output printed;
  Output* const listener = output_;
  const std::string listened_by = listened_by_;
  if (!redirects.empty()) {
    output_ = &printed;
    listened_by_ = run_by_;
  }
  const std::size_t first = commands_.size();
  walk_compound(command);
  listened_by_ = listened_by;
  output_ = listener;
  if (!redirects.empty()) pour(printed, redirects, first);
  if (command.kind != CommandKind::group || !command.redirects.empty()) status_ = Status::unknown;
  if (input_changes != input_changes_ && command.kind != CommandKind::subshell) return;
  input_ = outer;
  descriptors_ = outer_descriptors;
}

void Walker::walk_compound(const ShellCommand& command) {
  switch (command.kind) {
    case CommandKind::group:
      return walk(command.lists.front());
    case CommandKind::coprocess:
      if (output_ != nullptr) output_->forget();
      input_ = {.kind = SeenInput::Kind::pipe};  // whatever is written to it later
      return walk_apart(command.lists.front());
    case CommandKind::subshell:
      return walk_apart(command.lists.front());
    case CommandKind::branch:
      return walk_branch(command);
    case CommandKind::choice:
      return walk_choice(command);
    case CommandKind::loop:
    case CommandKind::for_each:
    case CommandKind::for_count:
      return walk_loop(command);
    case CommandKind::arithmetic:
      return walk_arithmetic(command.words.front(), /*alone=*/true);
    case CommandKind::condition:
      return walk_condition(command);
    case CommandKind::simple:
    case CommandKind::function:
      return;
  }
}

void Walker::walk_apart(const ShellList& list) {
  const std::size_t mark = variables_.mark();
  const std::size_t traps = traps_.size();
  const SeenInput outer_input = input_;
  const std::map<int, SeenInput> outer_descriptors = descriptors_;
  const Jump outer = std::exchange(jump_, Jump::none);
  walk(list);
  run_traps(traps);
  input_ = outer_input;
  descriptors_ = outer_descriptors;
  jump_ = outer;
  variables_.undo(mark);
}

void Walker::define(const ShellCommand& command) {
  if (command.name.empty()) return;
  call_graph_.add(command);
  ShellValue value;
  value.function = &command;
  variables_.set(function_key(command.name), std::move(value));
  if (command.name == shell::kNotFoundHandler) run_not_found_handler();
  status_ = Status::success;
}

// A redirection of a compound command is one for each command in it.
std::vector<SeenRedirect> Walker::redirect_compound(const ShellCommand& command) {
  if (command.redirects.empty()) return {};
  const SeenInput outer = input_;
  std::vector<SeenRedirect> redirects;
  each_choice([&] {
    SeenCommand seen;
    seen.input = outer;
    expand_redirects(command, seen);
    const bool first = redirects.empty();
    std::ranges::copy(seen.redirects, std::back_inserter(redirects));
    if (!first) {  // it may be another one
      seen.input.text.reset();
      redirects.push_back({ShellRedirect::Kind::duplicate, 1, {std::string(1, kUnknownPiece)}});
    }
    input_ = seen.input;
    for (const auto& [descriptor, input] : seen.descriptors) descriptors_[descriptor] = input;
    const Place where = place();
    seen.directory = where.directory;
    seen.from_start = where.from_start;
    commands_.push_back(std::move(seen));
  });
  return redirects;
}

}  // namespace talaria::guard
