// Walker: goes through a shell text the way bash would run it, without running anything, and writes
// down every command it would start. Both branches of an `if` count, and a loop's body counts for
// every word it goes over.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/context.h"
#include "policy/guard/instructions/instructions.h"
#include "policy/guard/run/budget.h"
#include "policy/guard/run/call_graph.h"
#include "policy/guard/run/expander.h"
#include "policy/guard/run/inner.h"
#include "policy/guard/run/output.h"
#include "policy/guard/run/seen_command.h"
#include "policy/guard/run/variables.h"
#include "policy/guard/run/written_files.h"
#include "policy/guard/syntax/script_reader.h"

namespace talaria::guard {

// Bounds, for texts made to be slow.
inline constexpr int kMaxFollowed = 20'000;    // commands
inline constexpr int kMaxDepth = 24;           // texts in texts, commands that run commands
inline constexpr std::size_t kMaxCalls = 48;   // functions in functions
inline constexpr std::size_t kMaxInner = 256;  // commands that one runs; variables set for it

class Walker {
 public:
  // `watched`: the names some rule cares about.
  Walker(const GuardContext& context, const std::vector<std::string_view>& watched);

  // The whole of a command, with what its session would do besides.
  void walk_all(std::string_view text);

  const std::deque<SeenCommand>& commands() const { return commands_; }
  const std::vector<Concern>& unclear() const { return unclear_; }
  bool fork_bomb() const { return call_graph_.has_fork_bomb(); }
  // Names a session may have a function or an alias for.
  const std::set<std::string>& names() const { return names_; }
  // Variables that a session may have a value for.
  const std::set<std::string>& variables() const { return expander_.outside_names(); }
  // Whether what was found depends on where the text starts.
  bool uses_start() const { return uses_start_ || expander_.uses_start(); }

 private:
  // Whether a command succeeds, where the text tells.
  enum class Status { unknown, success, failure };
  // How far the text may have been left at some point before.
  enum class Jump { none, loop, function, shell };

  void walk_text(std::string_view text);
  void walk_pipeline(const ShellPipeline& pipeline);
  void walk_command(const ShellCommand& command);
  void walk_compound(const ShellCommand& command);
  void walk_apart(const ShellList& list);
  void define(const ShellCommand& command);
  std::vector<SeenRedirect> redirect_compound(const ShellCommand& command);
  void say_unclear(std::string key, std::string description, const SeenCommand* about = nullptr);
  void say(Concern concern, const SeenCommand* about);
  void take_variables();

  // what may happen, and what follows from it (flow_walker.cc)
  void walk(const ShellList& list);
  void walk_chain(std::span<const ShellPipeline> chain);
  void walk_maybe(const ShellList& list);
  void walk_branch(const ShellCommand& command);
  void walk_choice(const ShellCommand& command);
  void walk_loop(const ShellCommand& command);
  std::vector<Value> loop_values(const ShellCommand& command, bool& certain);
  void each_way(std::size_t count, const std::function<void(std::size_t)>& walk_one);
  bool each_choice(const std::function<void()>& expand_one);
  void jump(const SeenCommand& seen);

  // simple commands (simple_walker.cc)
  void run_simple(const ShellCommand& command);
  Status status_of(const ShellCommand& command, const SeenCommand& seen);
  SeenCommand expand_command(const ShellCommand& command);
  void expand_redirects(const ShellCommand& command, SeenCommand& seen);
  void assign(const ShellAssignment& assignment);
  void note_variables(const ShellCommand& command, std::vector<SeenCommand>& possible);
  void assign_all(const ShellCommand& command, const std::vector<SeenCommand>& possible,
                  const std::function<void()>& run_it);
  void run_possible(const ShellCommand& command, const SeenCommand& seen);
  struct Aliases {
    std::vector<std::string> texts;
    bool plain = true;  // or it is none
  };
  Aliases find_aliases(const ShellCommand& command, std::size_t at);
  void run_alias(const ShellCommand& command, const SeenCommand& seen, std::string text);

  // which program it is, and what that runs in turn (program_walker.cc)
  void run(SeenCommand seen);
  void name_program(SeenCommand seen);
  void guess_worst(const SeenCommand& seen);
  void run_named(SeenCommand seen);
  void run_program(const SeenCommand& seen);
  void run_inner(const SeenCommand& seen);
  void run_all(std::vector<InnerCommand> all, const SeenCommand& seen);
  void run_text(const SeenWord& text, std::vector<SeenWord> arguments, const SeenCommand& by,
                bool elsewhere);
  void leave_trap(std::size_t mark, const SeenCommand& by);

  // functions (function_walker.cc)
  struct Callees {
    std::vector<const ShellCommand*> functions;
    bool program = true;  // or it is no function
  };
  Callees find_functions(const SeenCommand& seen);
  const ShellCommand* session_function(const std::string& name, const SeenCommand& seen);
  void call_function(const ShellCommand& function, const SeenCommand& seen);
  bool enter_again(const ShellCommand& function, std::vector<SeenWord>& arguments, bool& widened);
  void make_local(const std::string& name);
  void leave_function();

  // builtins that change variables (state_walker.cc)
  void declare(const SeenCommand& seen);
  void declare_name(const SeenCommand& seen, const std::string& name);
  void unset(const SeenCommand& seen);
  void unset_name(const std::string& name, bool functions, bool variables);
  void set_options(const SeenCommand& seen);
  void shift(const SeenCommand& seen);
  void read_names(const SeenCommand& seen);
  void change_aliases(const SeenCommand& seen);
  void change_directory(const SeenCommand& seen);
  struct Place {
    std::string directory;  // empty: not known
    bool from_start = false;
  };
  Place place();

  // builtins, each handed to what follows it (builtin_walker.cc)
  void run_builtin(const SeenCommand& seen);

  // what shells read as commands (input_walker.cc)
  SeenInput input_of(const SeenCommand& seen, int descriptor) const;
  std::optional<SeenInput> input_named(const SeenCommand& seen, std::size_t at);
  void redirect_input(const ShellRedirect& redirect, const SeenWord& target, bool process,
                      SeenCommand& seen);
  void keep_input(const SeenCommand& seen);
  void run_script(const SeenCommand& seen, std::size_t at);
  void run_shell_input(const SeenCommand& seen);
  void meet_interpreter(const SeenCommand& seen);
  void run_input(const SeenInput& input, const SeenCommand& by);

  // files that the text writes, and what follows them (file_walker.cc)
  FilePath file_path(const std::string& path, const Place& where) const;
  FilePath file_path(const std::string& path, const SeenCommand& by) const;
  void note_written(const FilePath& name, FileContent content, bool append);
  void note_redirects(const std::vector<SeenRedirect>& redirects, const FileContent& content,
                      const Place& where);
  FileContent printed_content(const SeenCommand& seen);
  void note_files(const SeenCommand& seen);
  void note_copy(const SeenCommand& seen);
  void note_edit(const SeenCommand& seen, const std::string& inserted);
  void follow_part(const std::string& part, const SeenCommand& by);
  void run_file(const SeenCommand& seen, std::size_t at);
  void read_files(const SeenCommand& seen);
  void follow_instructions(Language language, const FileContent& content, const SeenCommand& by);
  void watch_directory(const FilePath& name);
  void note_search_path(const std::string& value);

  // aliases of git, and variables that programs run (given_walker.cc)
  void note_git(const SeenCommand& seen);
  void run_git_alias(const SeenCommand& seen);
  void note_exported(const std::string& name);
  void print_into(const SeenCommand& seen);
  void note_sourced(const SeenCommand& seen, std::size_t at);
  void doubt_sourced(const ShellCommand& command);

  // arithmetic and subscripts (arithmetic_walker.cc)
  void expand_text(const std::string& text);
  void evaluate(const std::string& text);
  void assign_numbers(const std::string& text);
  void evaluate_value(const std::string& name);
  void evaluate_name(const std::string& name);
  void evaluate_assignment(const ShellAssignment& assignment, const SeenWord& index,
                           const ShellValue& value);
  void evaluate_declaration(const SeenCommand& seen);
  void evaluate_operands(const SeenCommand& seen);
  void walk_arithmetic(const ShellWord& expression, bool alone);
  void walk_condition(const ShellCommand& command);

  // texts that are kept and run later (text_walker.cc)
  void expand_prompt(const std::string& prompt);
  void keep_trap(const SeenCommand& seen);
  void run_traps(std::size_t first);
  void note_assigned(const std::string& name, const SeenWord& value);
  void note_element(const ShellAssignment& assignment, const SeenWord& index,
                    const ShellValue& value);
  void show_trace();
  void name_anew(std::string_view name, std::string_view path);
  void run_callbacks(const SeenCommand& seen);
  void run_not_found_handler();

  // what is printed (output_walker.cc)
  std::optional<std::string> substitute(const ShellList& list);
  std::optional<std::string> choose_text(const ShellList& list, const Output& printed);
  std::optional<std::string> substitute_noted(const ShellList& list);
  void meet_process(const PartDetail& detail);
  std::vector<std::string> programs_since(std::size_t first) const;
  void print(const SeenCommand& seen);
  void pour(const Output& printed, const std::vector<SeenRedirect>& redirects, std::size_t first);
  void walk_stage(const ShellCommand& command, bool last);
  void walk_perhaps(const ShellPipeline& pipeline, bool after_failure);

  struct Local {
    ShellVariable before;
    bool certain = false;
  };
  struct Call {
    const ShellCommand* function = nullptr;
    std::size_t mark = 0;
    std::vector<SeenWord> arguments;
    bool widened = false;  // walked for whatever its arguments and variables may be
    std::map<std::string, Local> locals;
  };

  const GuardContext& context_;
  const std::vector<std::string_view>& watched_;
  Budget budget_;
  Variables variables_;
  Expander expander_;
  std::deque<SeenCommand> commands_;
  std::vector<Concern> unclear_;
  CallGraph call_graph_;
  std::set<std::string> names_;

  std::vector<std::unique_ptr<Script>> scripts_;  // whatever was read, as functions point into it
  std::map<std::string, const ShellCommand*> session_functions_;  // those that were read
  std::deque<ShellWord> texts_;                                   // and texts that are no scripts
  std::vector<SeenCommand> traps_;
  std::map<std::string, int> since_trap_;  // how often a name was assigned since there are any
  std::set<std::string> evaluated_;        // names whose values are being evaluated
  int evaluations_ = 0;                    // in each other
  std::set<std::string> integers_{"RANDOM", "SRANDOM", "OPTIND", "HISTCMD"};  // `declare -i`
  SeenInput input_;                       // of the command that is walked
  std::map<int, SeenInput> descriptors_;  // others that the shell has open for reading
  int input_changes_ = 0;                 // by exec
  WrittenFiles written_;
  int moves_ = 0;  // changes of the directory
  std::set<std::string> followed_files_;
  std::vector<std::shared_ptr<const std::string>> kept_texts_;  // of those
  std::map<const InstructionFile*, std::size_t> looked_for_;    // at which change of the files
  std::vector<std::string> search_fronts_;                      // directories PATH has in front
  bool uses_start_ = false;
  bool sourced_ = false;                       // a file that is not known was
  std::set<std::string> set_since_;            // variables, since then
  std::map<std::string, std::string> copies_;  // of programs, under other names
  std::vector<SeenInput> processes_;           // met while its words were expanded
  std::vector<std::string> aliases_in_use_;
  std::vector<Call> calls_;
  const ShellCommand* alias_end_ = nullptr;  // gets the words that follow the alias
  std::vector<SeenWord> alias_words_;
  Output* output_ = nullptr;  // what listens to what is printed; null: nothing does
  std::string listened_by_;   // `run_by_` of the commands it listens to
  bool xpg_echo_ = false;     // perhaps: echo reads escapes
  bool naming_ = false;       // the word that is expanded names what runs, or is assigned
  bool no_aliases_ = false;   // perhaps: `unalias -a` was met
  bool posix_ = false;        // perhaps: an assignment before a special builtin stays
  bool last_pipe_ = false;    // perhaps: the last part of a pipeline is no shell of its own
  bool once_ = true;
  bool sure_ = true;  // it happens whenever the function around it is called
  bool elsewhere_ = false;
  bool background_ = false;
  Status status_ = Status::unknown;
  Jump jump_ = Jump::none;
  std::string run_by_;
  int depth_ = 0;
  int followed_ = 0;
};

}  // namespace talaria::guard
