#include "policy/guard/run/flow.h"

#include <algorithm>
#include <utility>

#include "policy/guard/run/walk.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using CommandKind = ShellCommand::Kind;
using Jump = Situation::Jump;
using Status = Situation::Status;

constexpr int kMaxPasses = 5;

bool leaves(const ShellList& list);

// Whether nothing comes behind it: `exit`, or { …; exit 1; }.
bool leaves(const ShellPipeline& pipeline) {
  if (pipeline.commands.size() != 1 || pipeline.after == AfterPipeline::background) return false;
  const ShellCommand& command = pipeline.commands.front();
  if (command.kind == CommandKind::group) return leaves(command.lists.front());
  return literal_name(command) == "exit";
}

bool leaves(const ShellList& list) {
  const std::vector<ShellPipeline>& all = list.pipelines;
  const bool plain = all.size() < 2 || all[all.size() - 2].after == AfterPipeline::next;
  return plain && !all.empty() && leaves(all.back());
}

bool changes_directory(const ShellPipeline& pipeline) {
  return pipeline.commands.size() == 1 &&
         among(literal_name(pipeline.commands.front()), "cd pushd popd");
}

bool goes_on(AfterPipeline after) {
  return after == AfterPipeline::and_then || after == AfterPipeline::or_else;
}

std::shared_ptr<const std::string> shared(std::optional<std::string> text) {
  return text ? std::make_shared<const std::string>(std::move(*text)) : nullptr;
}

}  // namespace

void Flow::walk_text(std::string_view text) {
  if (walk_.now.depth >= kMaxDepth) {
    return walk_.findings.say_too_deep("it runs text in text in text, too deep to follow");
  }
  const Script& script = walk_.state.read(text);
  if (!script.trouble.empty()) {
    return walk_.findings.say_unclear("unreadable command text",
                                      "the command is not valid bash (" + script.trouble + ")");
  }
  const Kept<int> deeper(walk_.now.depth, walk_.now.depth + 1);
  walk(script.list);
}

// --- lists and pipelines

void Flow::walk(const ShellList& list) {
  Situation& now = walk_.now;
  Variables& variables = walk_.state.variables();
  const std::span<const ShellPipeline> all = list.pipelines;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end + 1 < all.size() && goes_on(all[end].after)) ++end;
    ++end;
    const std::size_t mark = variables.mark();
    const bool apart = all[end - 1].after == AfterPipeline::background;
    const Jump outer_jump = now.jump;
    const bool maybe = outer_jump != Jump::none;
    {
      const Kept<bool> background(now.background, now.background || apart);
      const Kept<bool> once(now.once, now.once && !maybe);
      const Kept<bool> sure(now.sure, now.sure && !maybe);
      walk_chain(all.subspan(begin, end - begin));
    }
    if (apart) {
      variables.undo(mark);
      now.jump = outer_jump;
      now.status = Status::unknown;
    } else if (maybe && outer_jump != Jump::shell) {
      variables.join(mark);
    }
    begin = end;
  }
}

// a && b || c: what stands behind an operator may not happen, unless what comes before it is known
// to succeed or to fail.
void Flow::walk_chain(std::span<const ShellPipeline> chain) {
  if (chain.size() == 1 && !changes_directory(chain.front())) return walk_pipeline(chain.front());
  Situation& now = walk_.now;
  Variables& variables = walk_.state.variables();
  const std::string where(kDirectoryKey);
  // Where it stays if `cd` fails: not where the whole text starts, for nobody means that.
  ShellVariable from = variables.all(where);
  for (Value& value : from.values) {
    if (value->items.size() > 1) value = Variables::unknown_value();
  }
  std::optional<std::size_t> doubtful;  // what came since may not have happened
  bool moved = false;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const bool after_and = i > 0 && chain[i - 1].after == AfterPipeline::and_then;
    const bool after_or = i > 0 && !after_and;
    const bool certain = i == 0 || (!doubtful && now.status != Status::unknown &&
                                    (now.status == Status::success) == after_and);
    const bool same_run = after_and && i > 1 && chain[i - 2].after == AfterPipeline::and_then;
    if (doubtful && !same_run) variables.join(*std::exchange(doubtful, std::nullopt));
    if (!certain && !doubtful) doubtful = variables.mark();
    if (after_or && moved) variables.put_too(where, from);
    const std::size_t mark = variables.mark();
    {
      const Kept<bool> sure(now.sure, now.sure && certain);
      certain ? walk_pipeline(chain[i]) : walk_perhaps(chain[i]);
    }
    if (!certain) now.status = Status::unknown;
    if (!certain && leaves(chain[i])) {  // then what it did counts for nothing behind it
      variables.undo(std::min(mark, *doubtful));
      doubtful.reset();
      moved = moved && after_and;
    }
    moved = moved || changes_directory(chain[i]);
  }
  if (doubtful) variables.join(*doubtful);
  if (moved) variables.put_too(where, from);  // it may have failed
}

// What may not run prints nothing then.
void Flow::walk_perhaps(const ShellPipeline& pipeline) {
  Output* const listener = walk_.io.listener();
  if (listener == nullptr) return walk_pipeline(pipeline);
  Output printed;
  {
    const Kept<Output*> listening = walk_.io.listen_instead(&printed);
    walk_pipeline(pipeline);
  }
  listener->add_perhaps(printed);
}

void Flow::walk_pipeline(const ShellPipeline& pipeline) {
  Situation& now = walk_.now;
  if (pipeline.commands.size() == 1) {
    walk_command(pipeline.commands.front());
    if (pipeline.negated && now.status != Status::unknown) {
      now.status = now.status == Status::success ? Status::failure : Status::success;
    }
    return;
  }
  Variables& variables = walk_.state.variables();
  const Io::Scope scope(walk_.io, true);
  const Kept<Jump> jump(now.jump);
  for (const ShellCommand& command : pipeline.commands) {
    const std::size_t mark = variables.mark();
    walk_stage(command, &command == &pipeline.commands.back());
    variables.undo(mark);
    now.jump = jump.before();
  }
  now.status = Status::unknown;
}

// What one of the commands of a pipeline prints is the input of the next, or of nobody we know.
void Flow::walk_stage(const ShellCommand& command, bool last) {
  const std::size_t first = walk_.findings.count();
  Output* const listener = walk_.io.listener();
  Output printed;
  {
    const Io::Listening listening(walk_.io, &printed);
    walk_command(command);
  }
  if (last) {
    if (listener != nullptr) listener->add(printed);
    return;
  }
  SeenInput next{.kind = SeenInput::Kind::pipe, .text = shared(printed.text())};
  if (!next.text) next.paths = printed.paths();
  if (walk_.io.input().kind == SeenInput::Kind::pipe) next.producers = walk_.io.input().producers;
  std::ranges::move(walk_.findings.programs_from(first), std::back_inserter(next.producers));
  walk_.io.set_input(std::move(next));
}

// --- commands

void Flow::walk_command(const ShellCommand& command) {
  walk_.now.status = Status::unknown;
  if (!walk_.findings.follow()) return;
  if (command.kind == CommandKind::simple) return walk_.commands.run(command);
  if (command.kind == CommandKind::function) {
    if (command.name.empty()) return;
    walk_.state.define(command);
    if (command.name == shell::kNotFoundHandler) walk_.programs.run_not_found_handler();
    walk_.now.status = Status::success;
    return;
  }
  const Io::Scope scope(walk_.io, command.kind == CommandKind::subshell);
  const std::vector<SeenRedirect> redirects = redirect_compound(command);
  const std::size_t first = walk_.findings.count();
  if (redirects.empty()) {
    walk_compound(command);
  } else {
    Output printed;
    {
      const Io::Listening listening(walk_.io, &printed);
      walk_compound(command);
    }
    pour(printed, redirects, first);
  }
  if (command.kind != CommandKind::group || !command.redirects.empty()) {
    walk_.now.status = Status::unknown;
  }
}

void Flow::walk_compound(const ShellCommand& command) {
  switch (command.kind) {
    case CommandKind::group:
      return walk(command.lists.front());
    case CommandKind::coprocess:
      walk_.io.forget_output();
      walk_.io.set_input({.kind = SeenInput::Kind::pipe});  // whatever is written to it later
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
      return walk_arithmetic(command.words.front());
    case CommandKind::condition:
      return walk_condition(command);
    case CommandKind::simple:
    case CommandKind::function:
      return;
  }
}

void Flow::walk_apart(const ShellList& list) {
  Variables& variables = walk_.state.variables();
  const std::size_t mark = variables.mark();
  const std::size_t traps = walk_.builtins.traps();
  {
    const Io::Scope scope(walk_.io, true);
    const Kept<Jump> jump(walk_.now.jump, Jump::none);
    walk(list);
    walk_.builtins.run_traps(traps);
  }
  variables.undo(mark);
}

void Flow::call(const ShellCommand& function, const SeenCommand& seen) {
  walk_.findings.budget().spend_words(4 * seen.words.size());  // they are copied here and there
  if (!walk_.state.enter(function, {seen.words.begin() + 1, seen.words.end()})) {
    return walk_.io.forget_output();
  }
  Situation& now = walk_.now;
  const Io::Scope scope(walk_.io);
  walk_.io.set_input(seen.input);
  const Jump outer_jump = std::exchange(now.jump, Jump::none);
  const Kept<bool> sure(now.sure, true);
  const std::size_t first = walk_.findings.count();
  if (seen.redirects.empty()) {
    walk(function.lists.front());
  } else {
    Output printed;
    {
      const Io::Listening listening(walk_.io, &printed);
      walk(function.lists.front());
    }
    pour(printed, seen.redirects, first);
  }
  walk_.state.leave();
  now.jump = now.jump == Jump::shell ? Jump::shell : outer_jump;
  now.status = Status::unknown;
}

void Flow::jump(const SeenCommand& seen) {
  const std::string_view name = seen.word(0);
  Jump to = Jump::function;  // also of `break 2`, which may leave every loop of it
  if (name == "exit") to = Jump::shell;
  if (among(name, "break continue") && seen.words.size() == 1) to = Jump::loop;
  walk_.now.jump = std::max(walk_.now.jump, to);
}

// A redirection of a compound command is one for each command in it.
std::vector<SeenRedirect> Flow::redirect_compound(const ShellCommand& command) {
  std::vector<SeenRedirect> redirects;
  if (command.redirects.empty()) return redirects;
  const SeenInput outer = walk_.io.input();
  each_choice([&] {
    SeenCommand seen;
    seen.input = outer;
    const Place where = walk_.state.place();
    seen.directory = where.directory;
    seen.from_start = where.from_start;
    walk_.commands.expand_redirects(command, seen);
    const bool first = redirects.empty();
    std::ranges::copy(seen.redirects, std::back_inserter(redirects));
    if (!first) {  // it may be another one
      seen.input.text.reset();
      redirects.push_back({ShellRedirect::Kind::duplicate, 1, {std::string(1, kUnknownPiece)}});
    }
    walk_.io.set_input(seen.input);
    for (const auto& [descriptor, input] : seen.descriptors) {
      walk_.io.set_descriptor(descriptor, input);
    }
    walk_.findings.add(std::move(seen));
  });
  return redirects;
}

// What a compound command printed goes where its redirections lead.
void Flow::pour(const Output& printed, const std::vector<SeenRedirect>& redirects,
                std::size_t first) {
  FileContent content{.text = shared(printed.text())};
  if (!content.text) content.unseen = is_unseen(walk_.findings.programs_from(first));
  walk_.files.note_redirects(redirects, content);
  Output* const listener = walk_.io.listener();
  if (listener == nullptr) return;
  const Destination to = destination(redirects, true);
  if (to == Destination::unclear) listener->forget();
  if (to == Destination::output) listener->add(printed);
}

// --- what may happen or not

void Flow::walk_maybe(const ShellList& list) {
  const std::size_t mark = walk_.state.variables().mark();
  {
    const Kept<bool> once(walk_.now.once, false);
    const Kept<bool> sure(walk_.now.sure, false);
    walk(list);
  }
  walk_.state.variables().join(mark);
}

void Flow::walk_branch(const ShellCommand& command) {
  Variables& variables = walk_.state.variables();
  const std::vector<ShellList>& lists = command.lists;
  const std::size_t begin = variables.mark();
  std::vector<Variables::Changes> ways;
  {
    const Kept<bool> once(walk_.now.once);
    const Kept<bool> sure(walk_.now.sure);
    const auto walk_way = [&](const ShellList& list) {
      walk_.now.once = false;
      walk_.now.sure = false;
      const std::size_t mark = variables.mark();
      walk(list);
      if (!leaves(list)) ways.push_back(variables.changes(begin));
      variables.undo(mark);
    };
    std::size_t i = 0;
    for (; i + 1 < lists.size(); i += 2) {
      walk(lists[i]);  // a condition, which comes to pass when those before it did not hold
      walk_way(lists[i + 1]);
    }
    if (i < lists.size()) {
      walk_way(lists[i]);
    } else {
      ways.push_back(variables.changes(begin));
    }
  }
  if (ways.empty()) return;
  variables.undo(begin);
  variables.merge(ways);
}

// With ;& one arm runs into the next, so that each may or may not happen after those before it.
void Flow::walk_choice(const ShellCommand& command) {
  const auto expand = [&](const ShellWord& word) {
    each_choice([&] { walk_.expander.expand_whole(word); });
  };
  std::ranges::for_each(command.words, expand);
  for (const CaseArm& arm : command.arms) {
    std::ranges::for_each(arm.patterns, expand);
    walk_maybe(arm.body);
  }
}

// What the variable of a loop may be. `certain`: there is one round at least.
std::vector<Value> Flow::loop_values(const ShellCommand& command, bool& certain) {
  std::vector<Value> values;
  certain = !command.select;
  if (command.select) values.push_back(std::make_shared<const ShellValue>(ShellValue{{{""}}}));
  const bool all = each_choice([&] {
    std::vector<SeenWord> words;
    if (command.over_arguments) words = walk_.state.arguments();
    for (const ShellWord& word : command.words) walk_.expander.expand(word, words);
    certain = certain && std::ranges::any_of(words, [](const SeenWord& word) {
                return !word.several && !word.pattern;
              });
    for (SeenWord& word : words) {
      walk_.texts.check_value(word.text);
      values.push_back(std::make_shared<const ShellValue>(ShellValue{{std::move(word)}}));
    }
  });
  if (command.over_arguments && !walk_.state.variables().look("@")->is_known()) certain = false;
  if (!all || values.size() > kMaxPossibleValues) values.clear();
  return values;
}

// The body is walked until another round would show nothing new.
void Flow::walk_loop(const ShellCommand& command) {
  Variables& variables = walk_.state.variables();
  const bool over_words = command.kind == CommandKind::for_each;
  const std::size_t begin = variables.mark();
  std::vector<Value> values;
  if (over_words) {
    bool certain = false;
    values = loop_values(command, certain);
    if (certain) variables.set_any(command.name, values);
    if (certain) walk_.builtins.note_exported(command.name);
  }
  const std::size_t first = walk_.findings.count();
  const Jump outer_jump = walk_.now.jump;
  for (int pass = 0;; ++pass) {
    const std::size_t mark = variables.mark();
    walk_.findings.drop_from(first);
    if (walk_.now.jump == Jump::loop) walk_.now.jump = outer_jump;
    if (over_words) {
      variables.set_any(command.name, values);
    } else {
      for (const ShellWord& word : command.words) walk_arithmetic(word);
    }
    for (const ShellList& list : command.lists) walk_maybe(list);
    std::vector<std::string> grown = variables.join(mark);
    std::erase(grown, command.name);  // each round gives it another value anyway
    if (grown.empty() || pass > kMaxPasses || walk_.findings.is_full()) break;
    if (pass > 0) variables.doubt(pass == kMaxPasses ? variables.changed(begin) : grown);
  }
  if (walk_.now.jump == Jump::loop) walk_.now.jump = outer_jump;
}

void Flow::walk_arithmetic(const ShellWord& expression) {
  std::vector<std::string> texts;
  each_choice([&] { texts.push_back(walk_.expander.expand_whole(expression).text); });
  for (const std::string& text : texts) walk_.texts.evaluate(text);
}

void Flow::walk_condition(const ShellCommand& command) {
  std::vector<std::string> texts;
  each_choice([&] {
    std::vector<std::string> words;
    for (const ShellWord& word : command.words) {
      words.push_back(walk_.expander.expand_whole(word).text);
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool compares = among(words[i], "-eq -ne -lt -le -gt -ge");
      if (compares && i > 0) texts.push_back(words[i - 1]);
      if ((compares || words[i] == "-v") && i + 1 < words.size()) texts.push_back(words[i + 1]);
    }
  });
  for (const std::string& text : texts) walk_.texts.evaluate(text);
}

}  // namespace talaria::guard
