// What may happen or not: lists, branches and loops. Whatever may have happened, the state behind
// it has both.
#include <algorithm>
#include <utility>

#include "policy/guard/run/walker.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using CommandKind = ShellCommand::Kind;

constexpr std::size_t kMaxChoices = 256;
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

}  // namespace

void Walker::walk(const ShellList& list) {
  const std::span<const ShellPipeline> all = list.pipelines;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end + 1 < all.size() && goes_on(all[end].after)) ++end;
    ++end;
    const std::size_t mark = variables_.mark();
    const bool apart = all[end - 1].after == AfterPipeline::background;
    const bool maybe = jump_ != Jump::none;
    const bool outer = std::exchange(background_, background_ || apart);
    const bool outer_once = std::exchange(once_, once_ && !maybe);
    const bool outer_sure = std::exchange(sure_, sure_ && !maybe);
    const Jump outer_jump = jump_;
    walk_chain(all.subspan(begin, end - begin));
    background_ = outer;
    once_ = outer_once;
    sure_ = outer_sure;
    if (apart) {
      variables_.undo(mark);
      jump_ = outer_jump;
      status_ = Status::unknown;
    } else if (maybe && outer_jump != Jump::shell) {
      variables_.join(mark);
    }
    begin = end;
  }
}

// a && b || c: what stands behind an operator may not happen, unless what comes before it is known
// to succeed or to fail.
void Walker::walk_chain(std::span<const ShellPipeline> chain) {
  if (chain.size() == 1 && !changes_directory(chain.front())) return walk_pipeline(chain.front());
  const std::string where(kDirectoryKey);
  // Where it stays if `cd` fails: not where the whole text starts, for nobody means that.
  ShellVariable from = variables_.all(where);
  for (Value& value : from.values) {
    if (value->items.size() > 1) value = Variables::unknown_value();
  }
  std::optional<std::size_t> doubtful;  // what came since may not have happened
  bool moved = false;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const bool after_and = i > 0 && chain[i - 1].after == AfterPipeline::and_then;
    const bool after_or = i > 0 && !after_and;
    const bool certain = i == 0 || (!doubtful && status_ != Status::unknown &&
                                    (status_ == Status::success) == after_and);
    const bool same_run = after_and && i > 1 && chain[i - 2].after == AfterPipeline::and_then;
    if (doubtful && !same_run) variables_.join(*std::exchange(doubtful, std::nullopt));
    if (!certain && !doubtful) doubtful = variables_.mark();
    if (after_or && moved) variables_.put_too(where, from);
    const std::size_t mark = variables_.mark();
    const bool outer_sure = std::exchange(sure_, sure_ && certain);
    if (certain) {
      walk_pipeline(chain[i]);
    } else {
      walk_perhaps(chain[i], after_or);
    }
    sure_ = outer_sure;
    if (!certain) status_ = Status::unknown;
    if (!certain && leaves(chain[i])) {  // then what it did counts for nothing behind it
      variables_.undo(std::min(mark, *doubtful));
      doubtful.reset();
      moved = moved && after_and;
    }
    moved = moved || changes_directory(chain[i]);
  }
  if (doubtful) variables_.join(*doubtful);
  if (moved) variables_.put_too(where, from);  // it may have failed
}

void Walker::walk_maybe(const ShellList& list) {
  const std::size_t mark = variables_.mark();
  const bool outer = std::exchange(once_, false);
  const bool outer_sure = std::exchange(sure_, false);
  walk(list);
  once_ = outer;
  sure_ = outer_sure;
  variables_.join(mark);
}

// Runs them one by one from where we are. Behind them, any may have been the one.
void Walker::each_way(std::size_t count, const std::function<void(std::size_t)>& walk_one) {
  if (count == 1) return walk_one(0);
  budget_.spend_words(8 * count);
  const bool outer_sure = std::exchange(sure_, false);
  std::vector<Variables::Changes> ways;
  Output* const listener = output_;
  std::optional<Output> printed;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t mark = variables_.mark();
    Output one;
    if (listener != nullptr) output_ = &one;
    walk_one(i);
    if (printed) {
      printed->add_way(one);
    } else {
      printed = std::move(one);
    }
    ways.push_back(variables_.changes(mark));
    variables_.undo(mark);
  }
  output_ = listener;
  if (listener != nullptr && printed) listener->add(*printed);
  variables_.merge(ways);
  sure_ = outer_sure;
  status_ = Status::unknown;
}

// For every choice of the variables it asks for. False: there are too many.
bool Walker::each_choice(const std::function<void()>& expand_one) {
  const Variables::Choice outer = variables_.pause_choice();
  variables_.first_choice();
  std::size_t count = 0;
  bool more = false;
  do {
    expand_one();
    more = variables_.next_choice();
  } while (more && ++count < kMaxChoices && !budget_.spent());
  variables_.resume_choice(outer);
  return !more;
}

void Walker::walk_branch(const ShellCommand& command) {
  const std::vector<ShellList>& lists = command.lists;
  const std::size_t begin = variables_.mark();
  const bool outer_once = once_;
  const bool outer_sure = sure_;
  std::vector<Variables::Changes> ways;
  const auto walk_way = [&](const ShellList& list) {
    once_ = false;
    sure_ = false;
    const std::size_t mark = variables_.mark();
    walk(list);
    if (!leaves(list)) ways.push_back(variables_.changes(begin));
    variables_.undo(mark);
  };
  std::size_t i = 0;
  for (; i + 1 < lists.size(); i += 2) {
    walk(lists[i]);  // a condition, which comes to pass when those before it did not hold
    walk_way(lists[i + 1]);
  }
  if (i < lists.size()) {
    walk_way(lists[i]);
  } else {
    ways.push_back(variables_.changes(begin));
  }
  once_ = outer_once;
  sure_ = outer_sure;
  if (ways.empty()) return;
  variables_.undo(begin);
  variables_.merge(ways);
}

// With ;& one arm runs into the next, so that each may or may not happen after those before it.
void Walker::walk_choice(const ShellCommand& command) {
  for (const ShellWord& word : command.words) {
    each_choice([&] { expander_.expand_whole(word); });
  }
  for (const CaseArm& arm : command.arms) {
    for (const ShellWord& pattern : arm.patterns) {
      each_choice([&] { expander_.expand_whole(pattern); });
    }
    walk_maybe(arm.body);
  }
}

// What the variable of a loop may be. `certain`: there is one round at least.
std::vector<Value> Walker::loop_values(const ShellCommand& command, bool& certain) {
  std::vector<Value> values;
  certain = !command.select;
  if (command.select) values.push_back(std::make_shared<const ShellValue>(ShellValue{{{""}}}));
  const bool all = each_choice([&] {
    std::vector<SeenWord> words;
    if (command.over_arguments) words = expander_.arguments();
    for (const ShellWord& word : command.words) expander_.expand(word, words);
    certain = certain && std::ranges::any_of(words, [](const SeenWord& word) {
                return !word.several && !word.pattern;
              });
    for (SeenWord& word : words) {
      if (integers_.contains(command.name)) evaluate(word.text);
      values.push_back(std::make_shared<const ShellValue>(ShellValue{{std::move(word)}}));
    }
  });
  if (command.over_arguments && !variables_.look("@")->is_known()) certain = false;
  if (!all || values.size() > kMaxPossibleValues) values.clear();
  return values;
}

// The body is walked until another round would show nothing new.
void Walker::walk_loop(const ShellCommand& command) {
  const bool over_words = command.kind == CommandKind::for_each;
  const std::size_t begin = variables_.mark();
  std::vector<Value> values;
  if (over_words) {
    bool certain = false;
    values = loop_values(command, certain);
    if (certain) variables_.set_any(command.name, values);
    if (certain) note_exported(command.name);
    if (!variables_.all(command.name).target.empty()) {
      say_unclear("variable is not known", "a loop changes which variable " + command.name + " is");
    }
  }
  const std::size_t first = commands_.size();
  const Jump outer_jump = jump_;
  for (int pass = 0;; ++pass) {
    const std::size_t mark = variables_.mark();
    commands_.erase(commands_.begin() + static_cast<std::ptrdiff_t>(first), commands_.end());
    if (jump_ == Jump::loop) jump_ = outer_jump;
    if (over_words) {
      variables_.set_any(command.name, values);
    } else {
      for (const ShellWord& word : command.words) walk_arithmetic(word, /*alone=*/false);
    }
    for (const ShellList& list : command.lists) walk_maybe(list);
    std::vector<std::string> grown = variables_.join(mark);
    std::erase(grown, command.name);  // each round gives it another value anyway
    if (grown.empty() || pass > kMaxPasses || budget_.spent() || followed_ > kMaxFollowed) break;
    if (pass > 0) variables_.doubt(pass == kMaxPasses ? variables_.changed(begin) : grown);
  }
  if (jump_ == Jump::loop) jump_ = outer_jump;
}

void Walker::jump(const SeenCommand& seen) {
  const std::string_view name = seen.word(0);
  Jump to = Jump::function;  // also of `break 2`, which may leave every loop of it
  if (name == "exit") to = Jump::shell;
  if (among(name, "break continue") && seen.words.size() == 1) to = Jump::loop;
  jump_ = std::max(jump_, to);
}

}  // namespace talaria::guard
