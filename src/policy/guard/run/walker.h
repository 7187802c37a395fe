// Walker: goes through a shell text the way bash would run it, without running anything, and writes
// down every command it would start. Both branches of an `if` count, and a loop's body counts for
// every word it goes over.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/context.h"
#include "policy/guard/run/expander.h"
#include "policy/guard/run/inner.h"
#include "policy/guard/run/seen_command.h"
#include "policy/guard/run/variables.h"
#include "policy/guard/syntax/script_reader.h"

namespace talaria {

// Bounds, for texts made to be slow.
inline constexpr int kMaxFollowed = 20'000;  // commands
inline constexpr int kMaxDepth = 24;         // texts in texts, functions in functions

class Walker {
 public:
  // `watched`: the names some rule cares about.
  Walker(const GuardContext& context, const std::vector<std::string_view>& watched);

  // The whole of a command, with what its session would do besides.
  void walk_all(std::string_view text);

  const std::deque<SeenCommand>& commands() const { return commands_; }
  const std::vector<Concern>& unclear() const { return unclear_; }
  bool fork_bomb() const { return fork_bomb_; }
  // Names a session may have a function or an alias for.
  const std::set<std::string>& names() const { return names_; }

 private:
  void walk_text(std::string_view text);
  void walk(const ShellList& list);
  void walk_pipeline(const ShellPipeline& pipeline);
  void walk_command(const ShellCommand& command);
  void walk_compound(const ShellCommand& command);
  void walk_branches(const ShellCommand& command);
  void walk_loop(const ShellCommand& command);
  void walk_maybe(const ShellList& list);
  void walk_apart(const ShellList& list);
  void define(const ShellCommand& command);
  void redirect_compound(const ShellCommand& command);
  void forget_assigned(const std::vector<ShellList>& lists);

  // simple commands (simple_walker.cc)
  void run_simple(const ShellCommand& command);
  SeenCommand expand_command(const ShellCommand& command);
  void expand_redirects(const ShellCommand& command, SeenCommand& seen);
  void assign(const ShellAssignment& assignment);
  bool run_alias(const ShellCommand& command, const SeenCommand& seen);
  const std::string* find_alias(const ShellCommand& command, std::size_t at);
  void run(SeenCommand seen);
  void name_program(SeenCommand seen);
  void run_named(SeenCommand seen);
  const ShellCommand* find_function(const SeenCommand& seen);
  void call_function(const ShellCommand& function, const SeenCommand& seen);
  void run_inner(const SeenCommand& seen);
  void run_text(const SeenWord& text, std::vector<SeenWord> arguments, const SeenCommand& by,
                bool elsewhere);

  // builtins and shells (builtin_walker.cc)
  void run_builtin(const SeenCommand& seen);
  void change_directory(const SeenCommand& seen);
  std::string directory();  // empty: not known
  void assign_words(const SeenCommand& seen);
  void run_shell_input(const SeenCommand& seen);
  void run_input(const SeenInput& input, const SeenCommand& by);
  void changed(const std::string& name);

  std::optional<std::string> substitute(const ShellList& list);
  void meet_process(const PartDetail& detail);
  std::optional<std::string> output_since(std::size_t first) const;
  std::vector<std::string> programs_since(std::size_t first) const;
  void say_unclear(std::string key, std::string description, const SeenCommand* about = nullptr);

  const GuardContext& context_;
  const std::vector<std::string_view>& watched_;
  Variables variables_;
  Expander expander_;
  std::deque<SeenCommand> commands_;
  std::vector<Concern> unclear_;
  bool fork_bomb_ = false;
  std::set<std::string> names_;

  std::vector<std::unique_ptr<Script>> scripts_;  // whatever was read, as functions point into it
  SeenInput input_;                               // of the command that is walked
  std::vector<SeenInput> processes_;              // met while its words were expanded
  std::vector<std::string> aliases_in_use_;
  std::vector<std::string> functions_in_use_;
  const ShellCommand* alias_end_ = nullptr;  // gets the words that follow the alias
  std::vector<SeenWord> alias_words_;
  NameMap aliases_;
  bool once_ = true;
  bool elsewhere_ = false;
  bool background_ = false;
  std::string run_by_;
  int depth_ = 0;
  int followed_ = 0;
};

}  // namespace talaria
