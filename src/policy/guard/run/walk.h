// Walk: the parts that go through one text together. Findings, situation, state, input, output and
// files stand alone; flow, commands, programs and builtins lead to each other as bash does.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "policy/guard/context.h"
#include "policy/guard/run/builtins.h"
#include "policy/guard/run/commands.h"
#include "policy/guard/run/expander.h"
#include "policy/guard/run/files.h"
#include "policy/guard/run/findings.h"
#include "policy/guard/run/flow.h"
#include "policy/guard/run/io.h"
#include "policy/guard/run/programs.h"
#include "policy/guard/run/shell_state.h"
#include "policy/guard/run/situation.h"
#include "policy/guard/run/substitutions.h"
#include "policy/guard/run/texts.h"

namespace talaria::guard {

struct Walk final : Expander::Outside {
  Walk(const GuardContext& start, WatchedPrograms watched_programs);
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  // The whole of a command, with what its session would do besides.
  void walk_all(std::string_view text);

  Printed output(const ShellList& list) override { return substitutions.command(list); }
  void process(const PartDetail& detail) override { commands.meet_process(detail); }
  void evaluate(const std::string& text) override { texts.evaluate(text); }
  void prompt(const std::string& text) override { texts.expand_prompt(text); }

  // Passes what the command prints to the command that reads it.
  void print(const SeenCommand& seen);

  // What a program finds in the environment; nothing: that is not known.
  std::optional<std::string> known_variable(const std::string& name);

  const GuardContext& context;
  WatchedPrograms watched;
  Findings findings;
  Situation now;
  ShellState state;
  Io io;
  Files files;
  Expander expander;
  Texts texts;
  Flow flow;
  Substitutions substitutions;
  Commands commands;
  Programs programs;
  Builtins builtins;
};

template <class WalkOne>
void Flow::each_way(std::size_t count, const WalkOne& walk_one) {
  if (count == 1) return walk_one(0);
  if (count == 0) return;
  walk_.findings.budget().spend_words(8 * count);
  Variables& variables = walk_.state.variables();
  std::vector<Variables::Changes> ways;
  std::optional<Output> printed;
  Output* const listener = walk_.io.listener();
  for (std::size_t i = 0; i < count; ++i) {
    const Kept<bool> sure(walk_.now.sure, false);
    const std::size_t mark = variables.mark();
    Output one;
    {
      const Kept<Output*> listening = walk_.io.listen_instead(listener == nullptr ? nullptr : &one);
      walk_one(i);
    }
    if (printed) {
      printed->add_way(one);
    } else {
      printed = std::move(one);
    }
    ways.push_back(variables.changes(mark));
    variables.undo(mark);
  }
  if (listener != nullptr) listener->add(*printed);
  variables.merge(ways);
  walk_.now.status = Situation::Status::unknown;
}

template <class ExpandOne>
bool Flow::each_choice(const ExpandOne& expand_one) {
  Variables& variables = walk_.state.variables();
  const Variables::Choice outer = variables.pause_choice();
  variables.first_choice();
  std::size_t count = 0;
  bool more = false;
  do {
    expand_one();
    more = variables.next_choice();
  } while (more && ++count < kMaxChoices && !walk_.findings.budget().spent());
  variables.resume_choice(outer);
  return !more;
}

}  // namespace talaria::guard
